// A primary that does not answer: every way in which a small cluster can fall apart, and what may be done about each.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { judgeFailover, planFailover } from '../../../../lib/decide/failover/failover.js'
import { NO_FALLBACK_MS } from '../../../../lib/decide/situation/durability.js'
import type { DecideSettings, Situation } from '../../../../lib/decide/situation/situation.js'
import { named } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { claimAlways, mixes } from '../../../support/simulator/mixes.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  cutOff,
  heardNothingFor,
  NOW,
  primary,
  refused,
  replica,
  type ServerDraft,
  silent,
  situation,
} from '../../../support/simulator/situation.js'

/** Where a replica is, in truth. Only the manager's view of it is in the situation. */
type Place =
  | 'with the manager, cut off'
  | 'with the manager, hears nothing'
  | 'with the primary'
  | 'with the primary, out of reach for longer'
  | 'lost with the primary'
  | 'down before'
  | 'stopped, refuses'
  | 'down before, starts with replication stopped'
  | 'out of reach before, starts with replication stopped'
  | 'with the primary, never probed'

const places: readonly Place[] = [
  'with the manager, cut off',
  'with the manager, hears nothing',
  'with the primary',
  'with the primary, out of reach for longer',
  'lost with the primary',
  'down before',
  'stopped, refuses',
  'down before, starts with replication stopped',
  'out of reach before, starts with replication stopped',
  'with the primary, never probed',
]

const downSince = (ms: number): ServerDraft => ({ ...silent(ms), inSyncAt: NOW - ms - 200 })

/** How the manager sees it. */
function seen(number: number, place: Place, semiSync: boolean): ServerSnapshot {
  const state = semiSync ? { semiSync: acknowledgingReplica } : {}
  const heard = semiSync ? { inSyncAt: NOW - 4_500 } : {}
  switch (place) {
    case 'with the manager, cut off':
      return replica(number, { ...cutOff, state, server: heard })
    case 'with the manager, hears nothing':
      return replica(number, { state, server: { ...heard, ...heardNothingFor(4 * SECOND) } })
    case 'with the primary':
    case 'lost with the primary':
      return replica(number, { state, server: { ...downSince(4 * SECOND), ...heard } })
    case 'with the primary, out of reach for longer':
    case 'down before':
    case 'out of reach before, starts with replication stopped':
      return replica(number, { state, server: downSince(60 * SECOND) })
    case 'down before, starts with replication stopped':
      return replica(number, { state, server: { ...downSince(60 * SECOND), ended: true } })
    case 'stopped, refuses':
      return replica(number, { state, server: { ...refused, ended: true, ...heard } })
    case 'with the primary, never probed': {
      const { state: _, stateAt: __, arrivals: ___, inSyncAt: ____, ...rest } = replica(number, { server: silent() })
      return rest
    }
  }
}

/** Connected to the primary when it was last probed. */
const isCounted = (place: Place): boolean => !/^(down|out of reach) before/.test(place)
/** By its option file. */
const isSlow = (place: Place): boolean => place.endsWith('starts with replication stopped')
/** Whether it may acknowledge on the side of the primary from now on: it runs there, or is started or connected there at any time. */
const mayCome = (place: Place): boolean =>
  !isWithManager(place) && !(isSlow(place) && !place.startsWith('out of reach before'))
const isWithPrimary = (place: Place): boolean => place.startsWith('with the primary')
const isWithManager = (place: Place): boolean => place.startsWith('with the manager')

interface World {
  readonly title: string
  readonly replicas: readonly Place[]
  /** A receiver that is no member reads from the primary and acknowledges. */
  readonly stranger: boolean
  readonly situation: Situation
}

interface Kind {
  readonly semiSync: boolean
  readonly settings?: Partial<DecideSettings>
  readonly timeoutMs?: number
}

function* worlds({ semiSync, settings = {}, timeoutMs = 10_000 }: Kind): Generator<World> {
  for (const size of [1, 2, 3, 4])
    for (const chosen of mixes(places, size))
      for (const stranger of semiSync ? [false, true] : [false]) {
        const clients = chosen.filter(isCounted).length + Number(stranger)
        const source = semiSync ? { semiSync: { ...acknowledgedSource(clients), timeoutMs } } : {}
        const slow = { at: NOW - 10 * SECOND, dumpThreads: clients, variables: named({}) } as unknown as SlowReading
        const servers = [
          primary(1, source, { ...silent(), slow, writes: { at: NOW - 5 * SECOND, count: 100, perSecond: 151 } }),
          ...chosen.map((place, index) => seen(index + 2, place, semiSync)),
        ]
        yield {
          title: `${chosen.join(' + ')}${stranger ? ' + a stranger' : ''}`,
          ...{ replicas: chosen, stranger },
          situation: situation(servers, { settings, memory: { semiSync, stoppedStarts: startsOf(chosen) } }),
        }
      }
}

const startsOf = (chosen: readonly Place[]) =>
  Object.fromEntries(
    chosen.flatMap((place, index) => (isSlow(place) ? [[`db${index + 2}`, { startedAt: NOW - 3_600 * SECOND }]] : [])),
  )

const known = new Map<string, readonly World[]>()

function always(kind: Kind, claim: (world: World) => void): void {
  const key = JSON.stringify(kind)
  const all = known.get(key) ?? [...worlds(kind)]
  known.set(key, all)
  claimAlways(all, claim)
}

const acts = ({ situation: one }: World): boolean => planFailover(one).ok

const lossless: Kind = {
  semiSync: true,
  settings: { 'durability-policy': 'lossless' },
  timeoutMs: NO_FALLBACK_MS,
}

const policies = [
  ['semi-sync, observed', { semiSync: true }],
  ['semi-sync', { semiSync: true, settings: { 'durability-policy': 'semi-sync' } }],
  ['lossless', lossless],
] as const satisfies readonly (readonly [string, Kind])[]

describe('a silent primary', () => {
  for (const [name, kind] of policies) {
    it(`is never replaced while a receiver out of reach may acknowledge: ${name}`, () => {
      always(kind, (world) => {
        if (world.stranger || world.replicas.some(isWithPrimary)) expect(acts(world)).to.equal(false)
      })
    })

    it(`is never replaced when a replica vanished with it: it cannot be distinguished from one that acknowledges: ${name}`, () => {
      always(kind, (world) => {
        if (world.replicas.includes('lost with the primary')) expect(acts(world)).to.equal(false)
      })
    })
  }

  for (const [name, kind] of policies.slice(1)) {
    it(`is never replaced while a replica may start, or be connected, on its side, and acknowledge there: ${name}`, () => {
      always(kind, (world) => {
        if (world.replicas.some(mayCome)) expect(acts(world)).to.equal(false)
      })
    })

    it(`is replaced when every replica was asked, or ended and starts with replication stopped: ${name}`, () => {
      let acted = 0
      always(kind, (world) => {
        if (world.stranger || world.replicas.some(mayCome) || !world.replicas.some(isWithManager)) return
        expect(acts(world)).to.equal(true)
        acted += 1
      })
      expect(acted).to.be.above(10)
    })
  }

  it('is replaced when every replica was asked, stopped, or was shown as disconnected: semi-sync, observed', () => {
    let acted = 0
    always({ semiSync: true }, (world) => {
      const settled = world.replicas.every((place) => isWithManager(place) || /^(down|out of reach) before/.test(place))
      if (world.stranger || !settled || !world.replicas.some(isWithManager)) return
      expect(acts(world)).to.equal(true)
      acted += 1
    })
    expect(acted).to.be.above(10)
  })

  it('does not report that nothing is lost where a replica that was down may acknowledge on its side', () => {
    let reported = 0
    always({ semiSync: true }, (world) => {
      const plan = planFailover(world.situation)
      const report = plan.ok ? plan.value.commands.find(({ type }) => type === 'report') : undefined
      if (report?.type !== 'report') return
      const proven = report.text.includes('No acknowledged transaction is lost')
      if (proven) expect(world.replicas.some(mayCome)).to.equal(false)
      reported += 1
    })
    expect(reported).to.be.above(10)
  })

  for (const [name, kind] of policies)
    it(`is shown with a loss of nothing only where no receiver may be on its side: ${name}`, () => {
      const shown = { none: 0, other: 0 }
      always(kind, ({ situation: one, replicas, stranger }) => {
        const { kind: loss } = judgeFailover(one).loss
        if (stranger || replicas.some(mayCome)) expect(loss).to.not.equal('none')
        shown[loss === 'none' ? 'none' : 'other'] += 1
      })
      expect(Math.min(...Object.values(shown))).to.be.above(10)
    })

  it('counts no replica against whose process has ended: semi-sync, observed', () => {
    always({ semiSync: true }, (world) => {
      const ended = world.replicas.every((place) => isWithManager(place) || place === 'stopped, refuses')
      if (!world.stranger && ended) expect(acts(world)).to.equal(world.replicas.some(isWithManager))
    })
  })

  it('is replaced without semi-sync only by a majority of the replicas', () => {
    always({ semiSync: false }, (world) => {
      const ours = world.replicas.filter(isWithManager).length
      const theirs = world.replicas.filter((place) => isWithPrimary(place) || place === 'lost with the primary').length
      if (theirs > 0 && theirs >= ours) expect(acts(world)).to.equal(false)
      if (ours > 0 && world.replicas.every((place) => isWithManager(place) || isWithPrimary(place)))
        expect(acts(world)).to.equal(ours > theirs)
    })
  })

  it('can be replaced by a person, to whom the loss is reported first', () => {
    always({ semiSync: true }, (world) => {
      const { rows, candidate } = judgeFailover(world.situation)
      const row = rows.find(({ rule }) => rule === 'durability-policy')
      if (row?.state !== 'closed' || candidate === undefined) return
      expect(row.sentence).to.match(/about \d+ transactions are at stake/)
      expect(planFailover(world.situation, { user: 'ann', forced: true }).ok).to.equal(true)
    })
  })

  it('is not replaced under lossless when its commits had stopped waiting', () => {
    const source = { ...acknowledgedSource(1), sourceActive: false, timeoutMs: NO_FALLBACK_MS }
    const servers = [primary(1, { semiSync: source }, silent()), seen(2, 'with the manager, cut off', true)]
    const draft = { settings: lossless.settings ?? {} }
    expect(planFailover(situation(servers, draft)).ok).to.equal(false)
    expect(planFailover(situation(servers)).ok).to.equal(true)
  })
})

describe('a primary that refuses connections', () => {
  it('has stopped, whatever became of its replicas, unless the policy is lossless', () => {
    always({ semiSync: true }, ({ situation: one, replicas, title }) => {
      const servers = one.snapshot.servers.map((server) => (server.id === 'db1' ? { ...server, ...refused } : server))
      if (replicas.some((place) => place !== 'with the manager, cut off' && isWithManager(place))) return
      if (!replicas.includes('with the manager, cut off') || title.includes('stopped')) return
      expect(planFailover(situation(servers)).ok).to.equal(true)
    })
  })
})
