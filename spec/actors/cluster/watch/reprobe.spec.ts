// What a switchover has to know of its two servers is read before it decides, however often a slow probe fails.
import { expect } from 'chai'
import type { ReadLimit } from '../../../../actors/cluster/watch/read-limit.js'
import { awaitAnswers, type Reprobing, readUnread, reprobe } from '../../../../actors/cluster/watch/reprobe.js'
import { MINUTE, now } from '../../../../lib/base/time.js'
import type { Reprobe } from '../../../../lib/model/operation/command.js'
import { nothingNamed } from '../../../../lib/model/server/named.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { primary, replica, server, situation } from '../../../support/simulator/situation.js'

const read = (known: ServerSnapshot): ServerSnapshot => ({
  ...known,
  slow: {
    ...{ server: known.id, at: 0, tookMs: 0, status: nothingNamed, variables: nothingNamed, plugins: [] },
    ...{
      binlogFile: '',
      binlogPosition: 0,
      binlogDoDb: '',
      binlogIgnoreDb: '',
      dumpThreads: 0,
      statementHistory: false,
    },
    binlogs: { count: 0, oldest: '', files: [] },
  },
})

/** The time of a read is over after so many probes. */
const MOST_PROBES = 5

/** A cluster whose unread server `db2` is read by the n-th slow probe. */
function clusterRead(nth: number, unread: ServerSnapshot) {
  let probes = 0
  const limits: [readonly string[], ReadLimit][] = []
  let servers = [read(primary(1)), unread]
  return {
    probes: () => probes,
    limits,
    actor: {
      get state() {
        return { snapshot: { ...situation([]).snapshot, servers } }
      },
      watch: {
        timeLeft: (ids: readonly string[], limit: ReadLimit) => {
          limits.push([ids, limit])
          return () => (probes < MOST_PROBES ? MINUTE : 0)
        },
        probedSlowly: async () => {
          probes += 1
          if (probes === nth) servers = [read(primary(1)), read(unread)]
        },
      },
    },
  }
}

describe('readUnread', () => {
  it('asks nothing of servers that are read', async () => {
    const { actor, probes } = clusterRead(1, read(server(2)))
    expect(await readUnread(actor, ['db1', 'db2', undefined])).to.equal(undefined)
    expect(probes()).to.equal(0)
  })

  it('asks a server that answers again when a slow probe of it failed', async () => {
    const { actor, probes } = clusterRead(3, server(2))
    expect(await readUnread(actor, ['db1', 'db2'])).to.equal(undefined)
    expect(probes()).to.equal(3)
  })

  it('gives that up when its time is over, which follows how far away the two are', async () => {
    const { actor, probes, limits } = clusterRead(Number.POSITIVE_INFINITY, server(2))
    expect(await readUnread(actor, ['db1', 'db2', undefined])).to.equal('db2')
    expect(probes()).to.equal(MOST_PROBES)
    const [[ids, limit] = []] = limits
    expect(ids).to.deep.equal(['db1', 'db2'])
    expect(limit?.trips).to.be.above(0)
  })

  it('names a server that refuses connections, without waiting for it', async () => {
    const { actor } = clusterRead(Number.POSITIVE_INFINITY, server(2, { observation: 'refused' }))
    expect(await readUnread(actor, ['db1', 'db2'])).to.equal('db2')
  })
})

/** A cluster whose silent server `db2` answers the n-th probe. */
function clusterHeard(nth: number) {
  const probed: string[] = []
  let servers = [primary(1), server(2, { observation: 'silent' }), server(3)]
  return {
    probed,
    actor: {
      get state() {
        return { snapshot: { ...situation([]).snapshot, servers } }
      },
      watch: {
        probeAll: async (isSpared: (id: string) => boolean = () => false) => {
          await new Promise(setImmediate)
          probed.push(...servers.map(({ id }) => id).filter((id) => !isSpared(id)))
          if (probed.length >= nth) servers = [primary(1), server(2), server(3)]
        },
      },
    },
  }
}

describe('awaitAnswers', () => {
  it('probes a server that was silent again, and no other, until it answers', async () => {
    const { actor, probed } = clusterHeard(3)
    await awaitAnswers(actor, ['db1', 'db2', undefined], () => MINUTE)
    expect(probed).to.deep.equal(['db2', 'db2', 'db2'])
  })

  it('asks nothing when those that matter have answered', async () => {
    const { actor, probed } = clusterHeard(1)
    await awaitAnswers(actor, ['db1', 'db3'], () => MINUTE)
    expect(probed).to.deep.equal([])
  })

  it('ends with its time', async () => {
    const { actor, probed } = clusterHeard(Number.POSITIVE_INFINITY)
    await awaitAnswers(actor, ['db2'], () => 3 - probed.length)
    expect(probed).to.deep.equal(['db2', 'db2', 'db2'])
    expect(actor.state.snapshot.servers.map(({ observation }) => observation)).to.include('silent')
  })
})

/** A switchover from `db1` to `db2` that is judged again: the n-th probe finds `db3` open, the ones before it show `before`. */
function clusterTurned(nth: number, before: Partial<ServerSnapshot>) {
  let probes = 0
  const began = now()
  const plan = { kind: 'switchover', owner: 'admin', oldPrimary: 'db1', newPrimary: 'db2', steps: [] } as const
  const seen = (third: ServerSnapshot, at: number) =>
    [primary(1, { readOnly: true }), replica(2), third].map((one, index) => ({
      ...one,
      observedAt: index === 2 ? third.observedAt : at,
    }))
  const stateWith = (servers: readonly ServerSnapshot[]) => {
    const known = situation(servers)
    return { ...known, snapshot: { ...known.snapshot, at: now() + MINUTE, operation: plan } }
  }
  let state = stateWith(seen({ ...replica(3), observedAt: began - MINUTE }, began - MINUTE))
  return {
    probes: () => probes,
    actor: {
      get state() {
        return state
      },
      tell: () => undefined,
      watch: {
        probeAll: async () => {
          await new Promise(setImmediate)
          probes += 1
          const third =
            probes >= nth
              ? { ...primary(3), observedAt: now() }
              : { ...replica(3), observedAt: began - MINUTE, ...before }
          state = stateWith(seen(third, now()))
        },
      },
    } as unknown as Reprobing,
  }
}

describe('reprobe of a plan that is outdated', () => {
  const back: Reprobe = { type: 'reprobe', candidate: 'db1', outdated: true }

  it('waits for the answer of a third server whose probe was thrown away', async () => {
    const { actor, probes } = clusterTurned(3, {})
    const judged = await reprobe(actor, back)
    expect(judged).to.have.nested.property('failure.message').that.includes('db3 has the role by now')
    expect(probes()).to.equal(3)
  })

  it('asks a third server that is silent again', async () => {
    const { actor } = clusterTurned(2, { observation: 'silent', observedAt: now() + MINUTE })
    expect(await reprobe(actor, back))
      .to.have.nested.property('failure.message')
      .that.includes('db3 has the role by now')
  })

  it('goes back to the old primary without one that refuses connections, and does not wait for it', async () => {
    const { actor, probes } = clusterTurned(2, { observation: 'refused', observedAt: now() + MINUTE })
    expect(await reprobe(actor, back)).to.have.property('ok', true)
    expect(probes()).to.equal(1)
  })

  it('goes back without one that stays silent when the time of probes is over', async () => {
    const { actor } = clusterTurned(Number.POSITIVE_INFINITY, { observation: 'silent', observedAt: now() + MINUTE })
    expect(await reprobe(actor, back)).to.have.property('ok', true)
  })
})
