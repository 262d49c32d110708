// Every small cluster: each kind of probe result of the primary × each kind of replica, and what must hold in all of them.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { judgeEvidence } from '../../../../lib/decide/failover/death/evidence.js'
import { judgeFailover, planFailover } from '../../../../lib/decide/failover/failover.js'
import { planRejoin } from '../../../../lib/decide/repair/rejoin.js'
import { planRepair } from '../../../../lib/decide/repair/repair.js'
import { isReachable, isWritable, receivedOf } from '../../../../lib/decide/situation/channel.js'
import { heldByOrigin } from '../../../../lib/decide/situation/history/holdings.js'
import type { Situation } from '../../../../lib/decide/situation/situation.js'
import { planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Plan } from '../../../../lib/model/operation/operation.js'
import { compareSets, contains, union } from '../../../../lib/model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { sample } from '../../../support/run/soak.js'
import { claimAlways, mixes } from '../../../support/simulator/mixes.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  cutOff,
  heardNothingFor,
  NOW,
  primary,
  type ReplicaDraft,
  refused,
  replica,
  type ServerDraft,
  silent,
  situation,
} from '../../../support/simulator/situation.js'

const answers: Readonly<Record<string, ServerDraft>> = {
  answers: {},
  'refuses twice': refused,
  'refuses once': { ...refused, refusals: 1, failures: 1 },
  'is silent for long': silent(),
  'is silent for a moment': silent(300),
  'refuses the login': { observation: 'rejected' },
  'is away on request': { ...silent(), maintenance: true },
}

const quiet = heardNothingFor(4 * SECOND)

const replicas: Readonly<Record<string, ReplicaDraft>> = {
  receives: {},
  'lost it': cutOff,
  'lost it, holds more': { ...cutOff, received: '0-1-110' },
  'lost it, holds more, applies still': { ...cutOff, received: '0-1-110', applied: '0-1-100' },
  'lost it, preferred': { ...cutOff, server: { rating: 'preferred' } },
  'lost it, preferred, holds less': { ...cutOff, received: '0-1-90', server: { rating: 'preferred' } },
  'hears nothing': { server: quiet },
  'hears nothing, holds more': { received: '0-1-110', server: quiet },
  'ignored, holds more': { ...cutOff, received: '0-1-120', server: { rating: 'ignored' } },
  'in maintenance, holds more': { ...cutOff, received: '0-1-120', server: { maintenance: true } },
  'in maintenance, delayed, holds more': {
    ...cutOff,
    received: '0-1-120',
    delaySeconds: 600,
    server: { maintenance: true },
  },
  'cannot apply, holds more': {
    ...cutOff,
    sql: 'stopped',
    sqlError: { code: 1062, message: 'duplicate' },
    received: '0-1-120',
    applied: '0-1-80',
  },
  'stopped by hand, holds less': { io: 'stopped', received: '0-1-50' },
  errant: { ...cutOff, state: { executed: '0-1-100,0-9-101', replicaPosition: '0-1-100', serverNumber: 9 } },
  'is down': { ...cutOff, server: { ...silent(), stateAt: NOW - SECOND } },
  'takes writes': { ...cutOff, state: { readOnly: false } },
}

interface VetoInput {
  readonly title: string
  readonly semiSync: boolean
  readonly situation: Situation
}

/** All clusters of so many replicas, each made when it is called; the order of replicas does not matter, so each mix comes once. */
function* everyCluster(size: number): Generator<() => VetoInput> {
  const kinds = Object.entries(replicas)
  for (const [answer, draft] of Object.entries(answers))
    for (const chosen of mixes(kinds, size))
      for (const semiSync of [false, true])
        yield () => {
          const acknowledging = semiSync ? { semiSync: acknowledgingReplica } : {}
          const servers = [
            primary(
              1,
              { executed: '0-1-100', semiSync: semiSync ? acknowledgedSource(size) : acknowledgingReplica },
              draft,
            ),
            ...chosen.map(([, replicaDraft], index) =>
              replica(index + 2, { ...replicaDraft, state: { ...acknowledging, ...replicaDraft.state } }),
            ),
          ]
          return {
            title: `${answer}: ${chosen.map(([name]) => name).join(' + ')}${semiSync ? ', semi-sync' : ''}`,
            semiSync,
            situation: situation(servers),
          }
        }
}

const planOf = (found: ReturnType<typeof planFailover>): Plan | undefined => (found.ok ? found.value : undefined)

const opens = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((command) => (command.type === 'make-writable' ? command.server : []))

const sourceLives = ({ situation: one }: VetoInput): boolean =>
  judgeEvidence(one).witnesses.some(({ testimony }) => testimony === 'receives')

/** All clusters of one and two replicas, and a part of the thousands with three; a soak takes them all. */
const WITH_A_COMMIT = 2_000

let clusters: readonly VetoInput[] = []

/** One claim over all clusters; the first that breaks it is named. */
function always(claim: (one: VetoInput) => void): void {
  if (clusters.length === 0)
    clusters = [
      ...[1, 2].flatMap((size) => [...everyCluster(size)]),
      ...sample([...everyCluster(3)], WITH_A_COMMIT),
    ].map((make) => make())
  claimAlways(clusters, claim)
}

/** A decision is a function of values: it is made once for all claims about it. */
function once<Out>(decide: (one: Situation) => Out): (one: VetoInput) => Out {
  const known = new WeakMap<VetoInput, { readonly made: Out }>()
  return (one) => {
    const found = known.get(one) ?? { made: decide(one.situation) }
    known.set(one, found)
    return found.made
  }
}

const planAlone = once((one) => planFailover(one))
const planForced = once((one) => planFailover(one, { user: 'ann', forced: true }))
const verdictOf = once((one) => judgeFailover(one))
const repairOf = once(planRepair)

const member = (one: VetoInput, id: string | undefined): ServerSnapshot => {
  const found = findServer(one.situation.snapshot, id)
  if (!found) throw new Error(`no server ${id}`)
  return found
}

describe('planFailover, in every small cluster', () => {
  it('never acts on its own while the primary answers, refuses the login or is away on request', () => {
    always((one) => {
      const { observation, maintenance } = member(one, 'db1')
      if (observation === 'answered' || observation === 'rejected' || maintenance)
        expect(planAlone(one).ok).to.equal(false)
    })
  })

  it('never acts while a replica receives', () => {
    always((one) => {
      if (member(one, 'db1').observation === 'answered' || !sourceLives(one)) return
      expect(planAlone(one).ok).to.equal(false)
      if (member(one, 'db1').observation !== 'refused') expect(planForced(one).ok).to.equal(false)
    })
  })

  it('never acts for a person while the primary lives', () => {
    always((one) => {
      const { observation } = member(one, 'db1')
      const forced = planForced(one)
      if (observation === 'answered' || observation === 'rejected') expect(forced.ok).to.equal(false)
    })
  })

  it('acts exactly when its verdict says so, and does so often', () => {
    let acted = 0
    always((one) => {
      const { ok } = planAlone(one)
      expect(ok).to.equal(verdictOf(one).wouldFailOver)
      if (ok) acted += 1
    })
    expect(acted).to.be.above(500)
  })

  it('opens the candidate, nothing else, and only after it was fenced off, frozen, applied and promoted', () => {
    always((one) => {
      for (const forced of [false, true]) {
        const plan = planOf((forced ? planForced : planAlone)(one))
        if (!plan) continue
        expect(opens(plan.commands)).to.deep.equal([plan.newPrimary])
        expect(opens(plan.undo)).to.deep.equal([])
        const at = (type: Command['type']) => plan.commands.findLastIndex((command) => command.type === type)
        const order = ['fence', 'stop-receiving', 'apply-received', 'promote', 'make-writable', 'record-crash'] as const
        expect(order.map(at)).to.deep.equal(order.map(at).toSorted((a, b) => a - b))
      }
    })
  })

  it('never elects a server that received less than another eligible one', () => {
    always((one) => {
      const { candidate, ranking } = verdictOf(one)
      if (candidate === undefined) return
      const best = receivedOf(member(one, candidate), one.situation.settings)
      for (const { eligible, received } of ranking)
        if (eligible) expect(compareSets(best, received)).to.be.oneOf(['equal', 'ahead'])
    })
  })

  it('never elects a server that is down, in maintenance, ignored, errant or cannot apply', () => {
    always((one) => {
      const { candidate } = judgeFailover(one.situation, { forced: true })
      if (candidate === undefined) return
      const { observation, maintenance, rating, state } = member(one, candidate)
      expect({ observation, maintenance, ignored: rating === 'ignored', sql: state?.channels[0]?.sql }).to.deep.equal({
        observation: 'answered',
        maintenance: false,
        ignored: false,
        sql: 'running',
      })
      expect(state?.serverNumber).to.not.equal(9)
    })
  })

  it('gives up nothing that may be acknowledged unless a person requests it', () => {
    always((one) => {
      const plan = planOf(planAlone(one))
      if (!plan || !one.semiSync) return
      const { settings } = one.situation
      const fetched = plan.commands.find(({ type }) => type === 'catch-up')
      const donor = fetched?.type === 'catch-up' ? member(one, fetched.source) : undefined
      const own = heldByOrigin(member(one, plan.newPrimary), settings)
      const gets = donor ? union(own, heldByOrigin(donor, settings)) : own
      for (const server of one.situation.snapshot.servers)
        if (server.id !== 'db1' && isReachable(server) && server.state?.serverNumber !== 9)
          expect(contains(gets, heldByOrigin(server, settings)), server.id).to.equal(true)
    })
  })

  it('sends commands only to servers that answer, the fence of the old primary aside', () => {
    always((one) => {
      const plan = planOf(planForced(one))
      for (const command of plan?.commands ?? []) {
        if (!('server' in command) || command.type === 'fence') continue
        const { observation, maintenance } = member(one, command.server)
        expect(observation).to.equal('answered')
        // What only it holds is fetched: it is cut off from its source and read, nothing else.
        if (maintenance) expect(command.type).to.be.oneOf(['stop-receiving', 'apply-received'])
      }
    })
  })

  it('keeps the relay log of a server that holds more than the candidate', () => {
    always((one) => {
      const plan = planOf(planForced(one))
      if (!plan || plan.commands.some(({ type }) => type === 'catch-up')) return
      const { settings } = one.situation
      const best = heldByOrigin(member(one, plan.newPrimary), settings)
      for (const command of plan.commands)
        if (command.type === 'repoint' && member(one, command.server).state?.serverNumber !== 9)
          expect(contains(best, heldByOrigin(member(one, command.server), settings))).to.equal(true)
    })
  })
})

describe('planSwitchover, in every small cluster', () => {
  it('freezes before it promotes, opens the candidate alone, and can always go back', () => {
    always((one) => {
      const found = planSwitchover(one.situation, { user: 'ann' })
      if (!found.ok) return
      const { commands, undo, newPrimary } = found.value
      const at = (type: Command['type']) => commands.findIndex((command) => command.type === type)
      expect(at('guard-long-writes')).to.be.below(at('freeze'))
      expect(at('freeze')).to.be.below(at('catch-up'))
      expect(at('catch-up')).to.be.below(at('promote'))
      expect(at('promote')).to.be.below(at('make-writable'))
      expect(opens(commands)).to.deep.equal([newPrimary])
      expect(opens(undo)).to.deep.equal(['db1'])
      expect(member(one, 'db1').observation).to.equal('answered')
    })
  })
})

describe('planRepair and planRejoin, in every small cluster', () => {
  it('never open a second server, and never touch one in maintenance', () => {
    always((one) => {
      for (const plan of [repairOf(one), planRejoin(one.situation)])
        for (const command of plan?.commands ?? []) {
          if (command.type === 'make-writable') {
            expect(command.server).to.equal(one.situation.snapshot.primary)
            const others = one.situation.snapshot.servers.filter((server) => server.id !== command.server)
            expect(others.some((server) => isReachable(server) && isWritable(server))).to.equal(false)
          }
          if ('server' in command && command.type !== 'fence')
            expect(member(one, command.server).maintenance).to.equal(false)
        }
    })
  })

  it('close every writable replica', () => {
    always((one) => {
      const open = one.situation.snapshot.servers.find(
        (server) => server.id !== 'db1' && isReachable(server) && isWritable(server) && !server.maintenance,
      )
      if (!open) return
      expect(repairOf(one)?.commands).to.deep.include({
        type: 'fence',
        server: open.id,
        timeoutMs: 2 * SECOND,
      })
    })
  })
})
