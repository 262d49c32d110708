// The rows of job tables: each that exceeds its time is ended for its reason, none before, and the findings follow from them.
import { expect } from 'chai'
import { jobObstacle, judgeJobRows, judgeJobTables } from '../../../../lib/decide/upkeep/job-table.js'
import type { HostTaskRow, HostTaskState } from '../../../../lib/model/operation/host-task.js'
import type { Snapshot } from '../../../../lib/model/snapshot.js'

const row = (state: HostTaskState, age: number, more: Partial<HostTaskRow> = {}): HostTaskRow => ({
  ...{ id: 7, task: 'analyze', port: 0, server: '', done: false, state, result: '', age },
  ...more,
})

const judge = (one: HostTaskRow, { restarted = false, followed = [] as string[] } = {}) =>
  judgeJobRows([one], { restarted, followed: new Set(followed) })[0]?.result

describe('judgeJobRows', () => {
  it('ends an order that nothing began within an hour, and no other one', () => {
    expect(judge(row(0, 3_601))).to.equal('no start within 3600 s: does the job script run on the host?')
    expect(judge(row(0, 3_600))).to.equal(undefined)
    for (const state of [1, 2] as const) expect(judge(row(state, 3_601))).to.equal(undefined)
    for (const state of [3, 4, 5, 6] as const) expect(judge(row(state, 1e9))).to.equal(undefined)
    expect(judge(row(0, 1e9, { done: true }))).to.equal(undefined)
  })

  it('ends work that takes longer than a day', () => {
    for (const state of [1, 2] as const) {
      expect(judge(row(state, 86_401))).to.equal('no end within 86400 s')
      expect(judge(row(state, 86_400))).to.equal(undefined)
    }
  })

  it('ends what waits for a stream that ended with an earlier manager, not what runs', () => {
    const lost = 'the manager that asked for it ended, and its stream with it'
    expect(judge(row(2, 1), { restarted: true })).to.equal(lost)
    expect(judge(row(0, 1, { port: 4444 }), { restarted: true })).to.equal(lost)
    expect(judge(row(0, 1), { restarted: true })).to.equal(undefined)
    expect(judge(row(1, 1, { port: 4444 }), { restarted: true })).to.equal(undefined)
    expect(judge(row(2, 1))).to.equal(undefined)
  })

  it('leaves what this manager follows to it', () => {
    for (const state of [0, 1, 2] as const)
      expect(judge(row(state, 1e9), { restarted: true, followed: ['analyze'] })).to.equal(undefined)
  })

  it('judges a row whose table holds no time by its state alone', () => {
    const { age: _, ...bare } = row(0, 0)
    expect(judge(bare)).to.equal(undefined)
  })
})

describe('judgeJobTables', () => {
  const waiting = (count: number) => Array.from({ length: count }, (_, id) => row(0, 60 + id, { id }))

  it('reports more than ten orders that nothing takes', () => {
    expect(judgeJobTables({ db1: { rows: waiting(10) } })).to.deep.equal([])
    expect(judgeJobTables({ db1: { rows: waiting(11) } })).to.deep.equal([
      { code: 'ERR00060', server: 'db1', detail: '11 orders in the job table (analyze), the oldest for 70 s.' },
    ])
    expect(judgeJobTables({ db1: { rows: waiting(11).map((each) => ({ ...each, done: true })) } })).to.deep.equal([])
  })

  it('reports a table that cannot be read', () => {
    expect(judgeJobTables({ db1: { rows: [], refused: 'SELECT command denied' } })).to.deep.equal([
      { code: 'ERR00102', server: 'db1', detail: 'SELECT command denied.' },
    ])
  })
})

describe('jobObstacle', () => {
  const snapshot = (operation?: string, superReadOnly = false) =>
    ({
      servers: [{ id: 'db1', name: 'alpha', state: { superReadOnly } }],
      ...(operation ? { operation: { kind: operation } } : {}),
    }) as unknown as Snapshot
  const ask = (state: Parameters<typeof jobObstacle>[0], writes = true) => jobObstacle(state, { server: 'db1', writes })

  it('is what moves roles or takes servers out of service', () => {
    expect(ask({ snapshot: snapshot() })).to.equal(undefined)
    expect(ask({ snapshot: snapshot('failover') })).to.equal('a failover is under way')
    expect(ask({ snapshot: snapshot('switchover') })).to.equal('a switchover is under way')
    expect(ask({ snapshot: snapshot('rejoin') })).to.equal(undefined)
    const roll = { kind: 'restart', phase: 'running' } as Parameters<typeof jobObstacle>[0]['roll']
    expect(ask({ snapshot: snapshot(), ...(roll ? { roll } : {}) })).to.equal('rolling work (restart) is under way')
  })

  it('is a server that takes no write, where the order is a row of it', () => {
    const state = { snapshot: snapshot(undefined, true) }
    expect(ask(state)).to.equal('alpha is super_read_only: its job table takes no order')
    expect(ask(state, false)).to.equal(undefined)
  })
})
