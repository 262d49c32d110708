// Replicas whose GTIDs name other transactions on the primary: what is noted of them, and when they are no good replicas any more.
import { expect } from 'chai'
import { elect } from '../../../../../lib/decide/failover/election/elect.js'
import { planRejoin } from '../../../../../lib/decide/repair/rejoin.js'
import { chooseSource, listReturning } from '../../../../../lib/decide/repair/returning.js'
import { noteDeletedLog } from '../../../../../lib/decide/situation/history/ambiguous.js'
import { buildSnapshot } from '../../../../../lib/decide/situation/snapshot/build-snapshot.js'
import { isValidReplica } from '../../../../../lib/decide/situation/validity.js'
import { freshMemory, type Memory } from '../../../../../lib/model/memory.js'
import { formatSet, noTransactions } from '../../../../../lib/model/server/gtid.js'
import type { SlowReading } from '../../../../../lib/model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import {
  primary,
  type ReplicaDraft,
  replica,
  type SituationDraft,
  settings,
  situation,
} from '../../../../support/simulator/situation.js'

interface Sight {
  /** Last transaction of the primary, and where its binary log ends. */
  readonly last: number
  readonly file?: string
  readonly position?: number
  readonly replicas: Readonly<Record<number, ReplicaSight>>
  readonly memory?: Partial<Memory>
}

interface ReplicaSight extends ReplicaDraft {
  readonly last: number
  readonly file?: string
  readonly slowAt?: number
}

const slow = (server: string, at: number, [file, position]: readonly [string, number]): SlowReading =>
  ({ server, at, tookMs: 0, binlogFile: file, binlogPosition: position }) as SlowReading

const refused = (message: string): ReplicaDraft => ({ io: 'stopped', ioError: { code: 1236, message } })
const nextLog = refused("could not find next log; the first event '.' at 4")

/** What one primary and its replicas show, one sight after the other; what is known of each replica at the end. */
function seen(...sights: readonly Sight[]): (number: number) => ServerSnapshot {
  let memory: Memory = { ...freshMemory, primary: 'db1' }
  let servers: readonly ServerSnapshot[] = []
  for (const [index, sight] of sights.entries()) {
    const at = (index + 1) * 1_000
    const source = primary(
      1,
      { executed: `0-1-${sight.last}` },
      { slow: slow('db1', at, [sight.file ?? 'bin.000002', sight.position ?? 100 + index]), stateAt: at, probeMs: 0 },
    )
    const others = Object.entries(sight.replicas).map(([number, { last, file, state, ...draft }]) => {
      const server = replica(Number(number), {
        received: `0-1-${last}`,
        ...draft,
        state: { executed: `0-1-${last}`, replicaPosition: `0-1-${last}`, ...state },
      })
      const end = file === undefined ? {} : { slow: slow(server.id, at, [file, 100 + index]) }
      return { ...server, ...end, stateAt: at, probeMs: 0, ...draft.server }
    })
    const built = buildSnapshot({
      ...{ cluster: 'c1', settings, now: at },
      servers: [source, ...others],
      memory: { ...memory, ...sight.memory },
    })
    memory = built.memory
    servers = built.snapshot.servers
  }
  return (number) => {
    const found = findServer({ servers }, `db${number}`)
    if (!found) throw new Error(`no server db${number}`)
    return found
  }
}

const shown = ({ stateName, ambiguous = noTransactions }: ServerSnapshot): string =>
  `${stateName} ${formatSet(ambiguous)}`.trim()

const begins: Sight = { last: 17, replicas: { 2: { last: 17 }, 3: { last: 17 } } }
/** The binary log was deleted, and the primary wrote more than its replicas hold before it was read. */
const reset: Sight = {
  last: 369,
  file: 'bin.000001',
  replicas: { 2: { last: 17, ...nextLog }, 3: { last: 17, ...nextLog } },
}

describe('a replica of a primary whose binary log was deleted', () => {
  it('is in good standing no more when it goes on past what the primary wrote under its GTIDs', () => {
    const see = seen(begins, begins, reset, {
      ...{ last: 500, file: 'bin.000001' },
      replicas: { 2: { last: 480 }, 3: { last: 17, ...nextLog } },
    })
    expect(shown(see(2))).to.equal('replica-error 0-1:1-17')
    expect(see(3).ambiguous).to.equal(undefined)
  })

  it('stays so, whatever it shows later', () => {
    const later = { last: 900, file: 'bin.000003', replicas: { 2: { last: 900 }, 3: { last: 900 } } }
    const see = seen(begins, begins, reset, later, later, { ...later, last: 901 })
    expect(shown(see(2))).to.equal('replica-error 0-1:1-17')
    expect(shown(see(3))).to.equal('replica-error 0-1:1-17')
  })

  it('is one again when it was seen empty, or was filled by the manager', () => {
    const gone: Sight = { last: 400, file: 'bin.000001', replicas: { 2: { last: 400 }, 3: { last: 400 } } }
    const empty = { last: 0, state: { executed: '', replicaPosition: '' }, received: '' }
    const whole: Sight = { last: 600, file: 'bin.000001', replicas: { 2: { last: 600 }, 3: { last: 600 } } }
    const see = seen(
      ...[begins, begins, reset, gone],
      { last: 500, file: 'bin.000001', replicas: { 2: empty, 3: { last: 500 } } },
      { ...whole, memory: { returns: { db3: { since: 1, attempts: [], filled: true } } } },
      whole,
    )
    expect(shown(see(2))).to.equal('replica')
    expect(shown(see(3))).to.equal('replica')
  })

  it('is one again when its own binary log begins again after maintenance, and not after maintenance alone', () => {
    const first: Sight = {
      last: 17,
      replicas: { 2: { last: 17, file: 'bin.000004' }, 3: { last: 17, file: 'bin.000004' } },
    }
    const there: Sight = {
      ...reset,
      replicas: { 2: { last: 17, ...nextLog, file: 'bin.000004' }, 3: { last: 17, ...nextLog, file: 'bin.000004' } },
    }
    const gone: Sight = { last: 400, file: 'bin.000001', replicas: { 2: { last: 400 }, 3: { last: 400 } } }
    const away: Sight = {
      ...{ last: 500, file: 'bin.000001' },
      replicas: { 2: { last: 450, server: { maintenance: true } }, 3: { last: 450, server: { maintenance: true } } },
    }
    const back: Sight = {
      ...{ last: 600, file: 'bin.000001' },
      replicas: { 2: { last: 600, file: 'bin.000001' }, 3: { last: 600, file: 'bin.000005' } },
    }
    const see = seen(first, first, there, gone, away, back)
    expect(shown(see(2))).to.equal('replica')
    expect(shown(see(3))).to.equal('replica-error 0-1:1-17')
  })
})

describe('a replica of a primary that lost its last transactions and takes writes', () => {
  const before: Sight = { last: 100, replicas: { 2: { last: 100 }, 3: { last: 90 } } }
  const back = (last: number, two: ReplicaSight, three = two): Sight => ({ last, replicas: { 2: two, 3: three } })
  const stuck = refused('Error: connecting slave requested to start from GTID 0-1-100, which is not in the binary log')

  it('may take over as long as it holds the history of before, and not once it went on', () => {
    const waits = seen(before, before, back(95, { last: 100, ...stuck }, { last: 93 }))
    expect(waits(2).ambiguous).to.equal(undefined)
    const went = seen(before, before, back(95, { last: 100, ...stuck }, { last: 93 }), back(140, { last: 140 }))
    expect(shown(went(2))).to.equal('replica-error 0-1:96-100')
    expect(shown(went(3))).to.equal('replica')
  })

  it('goes on when it is accepted at its position, whether it receives something or not', () => {
    const see = seen(before, before, back(95, { last: 100, ...stuck }, { last: 93 }), back(100, { last: 100 }))
    expect(shown(see(2))).to.equal('replica-error 0-1:96-100')
    expect(shown(see(3))).to.equal('replica')
  })

  it('is noticed by what the primary refused, when that had grown past it before it was read', () => {
    const see = seen(before, before, back(120, { last: 100, ...stuck }, { last: 93 }), back(140, { last: 140 }))
    expect(shown(see(2))).to.equal('replica-error 0-1:100')
    expect(shown(see(3))).to.equal('replica')
  })
})

describe('a server without a source that would pass over transactions of the primary', () => {
  const record = { since: 1, primary: 'db1', set: { '0-1': [[1, 17]] }, at: { '0-1': [[1, 17]] } } as const
  const stray = replica(2, { state: { executed: '0-1-17', replicaPosition: '0-1-17', channels: [] } })
  const given = (memory: Partial<Memory>) => situation([primary(1), stray, replica(3)], { memory })

  it('is left out by the manager, which would follow where nothing is noted of it', () => {
    expect(planRejoin(given({}))?.commands.map(({ type }) => type)).to.include('repoint')
    expect(planRejoin(given({ ambiguous: { db2: record } }))).to.equal(undefined)
  })

  it('is in the finding, and brought back by a copy', () => {
    const noted = given({ ambiguous: { db2: record } })
    const found = noted.snapshot.findings.filter(({ code }) => code === 'ERR00128')
    expect(found.map(({ detail }) => detail)).to.deep.equal([
      'db2: 0-1:1-17. It does not replicate, and is not made a replica.',
    ])
    expect(listReturning(noted).map(({ server, cause }) => [server.id, cause])).to.deep.equal([['db2', 'incomplete']])
  })

  it('keeps its data while the primary is missing what it may have', () => {
    const held = { primary: 'db1', set: {}, at: 0, forked: { '0-1': [[1, 17]] } } as const
    expect(listReturning(given({ ambiguous: { db2: record }, held }))).to.deep.equal([])
  })
})

describe('a server that passed over transactions of the primary', () => {
  const record = {
    since: 1,
    primary: 'db1',
    set: { '0-1': [[1, 17]] },
    at: { '0-1': [[1, 17]] },
    passed: true,
  } as const
  const memory = { ambiguous: { db2: record } }
  const given = (draft: Partial<SituationDraft> = {}) =>
    situation([primary(1), replica(2), replica(3)], { ...draft, memory: { ...memory, ...draft.memory } })

  it('is refused by role checks and is in a finding of its own', () => {
    const { snapshot } = given()
    const [, two, three] = snapshot.servers
    expect(two && isValidReplica(two)).to.equal(false)
    expect(three && isValidReplica(three)).to.equal(true)
    const found = snapshot.findings.filter(({ code }) => code === 'ERR00128')
    expect(found.map(({ detail }) => detail)).to.deep.equal(['db2: 0-1:1-17.'])
  })

  it('is elected only by a failover that a person forces', () => {
    const rank = (kind: 'failover' | 'switchover', forced: boolean) =>
      elect(given(), { kind, forced }).ranking.find(({ server }) => server === 'db2')
    expect(rank('failover', false)).to.include({ eligible: false, code: 'ERR00128' })
    expect(rank('switchover', true)).to.include({ eligible: false, code: 'ERR00128' })
    expect(rank('failover', true)).to.include({ eligible: true })
  })

  it('is brought back by a copy, and is no donor of one', () => {
    expect(listReturning(given()).map(({ server, cause }) => [server.id, cause])).to.deep.equal([['db2', 'incomplete']])
    const three = given().snapshot.servers[2]
    expect(three && chooseSource(given(), three)?.id).to.equal('db1')
  })

  it('makes its history that of all when it is opened all the same: the others are marked instead', () => {
    const { snapshot } = situation([primary(2, { executed: '0-1-100,0-2-101' }), replica(3, { source: 2 })], {
      memory: { ...memory, primary: 'db2' },
    })
    expect(snapshot.servers.map(({ ambiguous }) => formatSet(ambiguous ?? noTransactions))).to.deep.equal([
      '',
      '0-1:1-17',
    ])
  })

  it('is noted where the binary log of the primary is deleted on request, once it goes on', () => {
    const noted = noteDeletedLog(freshMemory, { servers: [primary(1), replica(2)], settings, now: 1, primary: 'db1' })
    expect(noted.ambiguous?.db2).to.deep.include({ primary: 'db1', set: { '0-1': [[1, 100]] } })
    expect(noted.ambiguous?.db1).to.equal(undefined)
  })
})
