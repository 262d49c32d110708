// What the pages of a server make of the interface's replies.
import { expect } from 'chai'
import { groupEffects, readPreview } from '../../../http/dashboard/src/model/configuration/preview.js'
import { joinSettings, plainText, readChanges } from '../../../http/dashboard/src/model/configuration/settings.js'
import { readDrift } from '../../../http/dashboard/src/model/server/drift.js'
import { buildWaitTree, readMetadataLocks, readRowLockWaits } from '../../../http/dashboard/src/model/server/locks.js'
import { readLogLines, readResponseTimes, readTables } from '../../../http/dashboard/src/model/server/logs.js'
import { readSessions } from '../../../http/dashboard/src/model/server/sessions.js'
import { compareStatements, readPlanRows, readStatements } from '../../../http/dashboard/src/model/server/statements.js'
import { rateCounters, readValues } from '../../../http/dashboard/src/model/server/variables.js'

const text = (value: string) => ({ String: value, Valid: true })
const process = (id: number, state: string, info: string) => ({
  ...{ id, user: 'app', host: '10.0.0.5', command: 'Query', timeMs: { Float64: 4_000, Valid: true } },
  ...{ state: text(state), info: text(info) },
})

describe('buildWaitTree', () => {
  it('puts those that wait for a waiting session below it', () => {
    const rows = readRowLockWaits([
      { waitingThread: 2, blockingThread: 1, lockTable: '`shop`.`orders`', lockIndex: 'PRIMARY', lockMode: 'X' },
      { waitingThread: 3, blockingThread: 2 },
      { waitingThread: 3, blockingThread: 1 },
    ])
    const [root, ...rest] = buildWaitTree({ rows, metadata: [], sessions: [] })
    expect(rest).to.deep.equal([])
    expect(root?.thread).to.equal(1)
    expect(root?.children.map(({ thread, waitsFor }) => [thread, waitsFor])).to.deep.equal([
      [2, 'row of shop.orders (PRIMARY, X)'],
    ])
    expect(root?.children[0]?.children.map(({ thread }) => thread)).to.deep.equal([3])
  })

  it('finds the holders of a metadata lock on the table of the waiting statement', () => {
    const metadata = readMetadataLocks([
      { threadId: 7, lockSchema: text('shop'), lockName: text('orders') },
      { threadId: 8, lockSchema: text('shop'), lockName: text('order') },
    ])
    const sessions = readSessions([process(9, 'Waiting for table metadata lock', 'ALTER TABLE orders ADD x INT')])
    const [root, ...rest] = buildWaitTree({ rows: [], metadata, sessions })
    expect(rest).to.deep.equal([])
    expect(root?.thread).to.equal(7)
    expect(root?.children[0]).to.include({ thread: 9, waitedMs: 4_000, waitsFor: 'metadata lock on shop.orders' })
  })

  it('ends in a ring of waiting sessions', () => {
    const rows = readRowLockWaits([
      { waitingThread: 1, blockingThread: 2 },
      { waitingThread: 2, blockingThread: 1 },
    ])
    expect(buildWaitTree({ rows, metadata: [], sessions: [] })).to.have.lengthOf(1)
  })
})

describe('compareStatements', () => {
  const at = (count: number, seconds: number, digest = 'a') => ({
    digest,
    execCount: count,
    execTimeTotal: `${seconds}`,
  })

  it('counts what ran in between, and what was reset from its beginning', () => {
    const before = readStatements([at(10, 1), at(5, 1, 'b'), at(100, 9, 'c')])
    const after = readStatements([at(14, 3), at(5, 1, 'b'), at(2, 0.5, 'c')])
    const compared = compareStatements(before, after)
    expect(compared.map(({ digest, count, totalMs, averageMs }) => [digest, count, totalMs, averageMs])).to.deep.equal([
      ['a', 4, 2_000, 500],
      ['c', 2, 500, 250],
    ])
  })
})

describe('rateCounters', () => {
  it('gives rates of counters that grew, and none of gauges, texts and resets', () => {
    const now = readValues([
      { variableName: 'COM_SELECT', value: '150' },
      { variableName: 'THREADS_RUNNING', value: '4' },
      { variableName: 'RESET_ONE', value: '1' },
      { variableName: 'STATE', value: 'ON' },
    ])
    const before = readValues([
      { variableName: 'COM_SELECT', value: '100' },
      { variableName: 'THREADS_RUNNING', value: '1' },
      { variableName: 'RESET_ONE', value: '9' },
      { variableName: 'STATE', value: 'ON' },
    ])
    expect(
      rateCounters(now, before, 5).flatMap(({ name, rate }) => (rate === undefined ? [] : [[name, rate]])),
    ).to.deep.equal([['com_select', 10]])
  })
})

describe('readResponseTimes', () => {
  it('leaves out the decades at both ends that nothing fell into', () => {
    const times = readResponseTimes([
      { time: '0.000001', count: 0, total: '0' },
      { time: '0.000010', count: 3, total: '0.00002' },
      { time: '0.000100', count: 0, total: '0' },
      { time: '0.001000', count: 1, total: '0.0005' },
      { time: '0.010000', count: 0, total: '0' },
      { time: 'TOO LONG', count: 0, total: '' },
    ])
    expect(times.map(({ upTo, count }) => [upTo, count])).to.deep.equal([
      [0.00001, 3],
      [0.0001, 0],
      [0.001, 1],
    ])
  })
})

describe('joinSettings', () => {
  const catalogue = [
    { name: 'failover-limit', group: 'failover', doc: 'd', kind: 'integer', scope: 'cluster', apply: 'live' },
    { name: 'api-token-timeout', scope: 'server', apply: 'restart' },
  ]

  it('offers those of the scope that have an effect, and no other', () => {
    const values = [
      { name: 'failover-limit', value: 3, origin: 'saved' },
      { name: 'api-token-timeout', value: 48 },
      { name: 'name-without-effect', value: 1 },
    ]
    const [setting, ...rest] = joinSettings(values, catalogue, 'cluster')
    expect(rest).to.deep.equal([])
    expect(setting).to.include({ name: 'failover-limit', value: '3', origin: 'saved', isLive: true })
  })

  it('writes values as files do', () => {
    expect([
      plainText(['a', 'b']),
      plainText({ innodb: 60, myisam: 10 }),
      plainText(null),
      plainText(false),
    ]).to.deep.equal(['a,b', 'innodb:60,myisam:10', '', 'false'])
  })
})

describe('groupEffects', () => {
  it('shows servers whose files change alike once', () => {
    const effect = (server: string, after: string) => ({ server, files: [{ path: 'a.cnf', before: '', after }] })
    const { servers } = readPreview({ servers: [effect('db1', 'x'), effect('db2', 'x'), effect('db3', 'y')] })
    expect(groupEffects(servers).map((group) => group.servers)).to.deep.equal([['db1', 'db2'], ['db3']])
  })
})

describe('replies without their optional fields', () => {
  for (const [name, read] of Object.entries({
    ...{ readSessions, readStatements, readPlanRows, readRowLockWaits, readMetadataLocks, readTables, readLogLines },
    ...{ readResponseTimes, readValues, readDrift, readPreview, readChanges },
  }))
    it(`are read: ${name}`, () => {
      for (const reply of [
        undefined,
        null,
        {},
        [],
        [{}],
        [null],
        { buffer: [{}] },
        { differences: [{}] },
        { servers: [{}] },
      ])
        expect(() => read(reply)).to.not.throw()
    })
})
