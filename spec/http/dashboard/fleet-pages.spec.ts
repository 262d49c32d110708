// What the pages of all clusters make of replies: work, alerts, certificates, routes of proxies; and one action after another.
import { expect } from 'chai'
import { readProxies, routesOf, takesConnections } from '../../../http/dashboard/src/model/cluster/proxy.js'
import {
  findAnswer,
  readAlertBoard,
  renderClusters,
  sortSilences,
} from '../../../http/dashboard/src/model/upkeep/alert-board.js'
import {
  expiryOfStatus,
  firstToExpire,
  judgeValidity,
  readFleetCertificates,
  renderExpiry,
  spent,
} from '../../../http/dashboard/src/model/upkeep/certificates.js'
import { filterWork, readWork } from '../../../http/dashboard/src/model/upkeep/work.js'
import { remediesOf } from '../../../http/dashboard/src/pages/cluster/actions/remedies.js'
import { cancelOf } from '../../../http/dashboard/src/pages/operations/cancel.js'
import { clusterOf } from '../../../http/dashboard/src/plan/action.js'
import {
  type BatchWorld,
  canRun,
  type LineEnd,
  type LineState,
  planLines,
  runLines,
} from '../../../http/dashboard/src/plan/batch.js'
import type { Progress } from '../../../http/dashboard/src/plan/progress.js'

const DAY = 86_400_000
const NOW = Date.parse('2026-11-24T12:00:00Z')

const entry = (code: string, data: object, more: object = {}) => ({
  ...{ id: 'e1', cluster: 'shop', at: 1_000, until: null, kind: 'operation', code, text: 'text', user: 'ann', data },
  ...more,
})
const workOf = (...entries: readonly object[]) => readWork({ entries, next: null }).work

describe('work of all clusters', () => {
  it('is read with its kind and title, how far it is and how it ended', () => {
    const [roll, job, undone, gone] = workOf(
      entry('rolling-restart', { kind: 'restart', phase: 'running', done: 1, total: 3 }),
      entry(
        'backup-logical',
        { job: 7, phase: 'queued' },
        { kind: 'backup', text: 'Job 7: backup-logical of db2, queued' },
      ),
      entry('switchover', { phase: 'rolled-back', result: 'undone' }, { until: 2_000 }),
      entry('failover', { interrupted: true }, { until: 2_000 }),
    )
    expect(roll).to.deep.include({ kind: 'rolling', title: 'Rolling restart', state: 'running', done: 1, total: 3 })
    expect(job).to.deep.include({ kind: 'backup', title: 'Logical backup', state: 'waiting', job: '7' })
    expect(job?.text).to.equal('backup-logical of db2, queued')
    expect(undone).to.deep.include({ kind: 'operation', title: 'Switchover', state: 'undone', until: 2_000 })
    expect(gone?.state).to.equal('interrupted')
  })

  it('without what an answer may leave out is judged by its level, and entries of no cluster are none', () => {
    const [one, ...others] = workOf(
      { id: 'e1', cluster: 'shop', at: 1, until: 2, level: 'ERROR' },
      { id: 'e2', cluster: null, at: 1 },
      { cluster: 'shop', at: 1 },
    )
    expect(others).to.deep.equal([])
    expect(one).to.deep.include({ state: 'failed', title: 'operation', text: '' })
  })

  it('is narrowed by words, by kind and to what ended badly', () => {
    const all = workOf(
      entry('switchover', { phase: 'succeeded' }, { until: 2, id: 'e1' }),
      entry('switchover', { phase: 'failed' }, { until: 2, id: 'e2', cluster: 'bank' }),
    )
    const ids = (filter: object) =>
      filterWork(all, { words: '', kind: '', failed: false, ...filter }).map(({ entry: id }) => id)
    expect(ids({ failed: true })).to.deep.equal(['e2'])
    expect(ids({ words: 'SHOP' })).to.deep.equal(['e1'])
    expect(ids({ kind: 'job' })).to.deep.equal([])
  })

  it('is cancelled by the row of its kind; what moves the primary is not', () => {
    const [roll, job, scheduled, failover] = workOf(
      entry('rolling-reprov', { kind: 'reprov' }),
      entry('restore', { job: 8 }, { kind: 'backup' }),
      entry('scheduled-switchover', { phase: 'waiting', from: 5 }),
      entry('failover', {}),
    ).map(cancelOf)
    expect(roll?.row).to.equal('POST /api/clusters/:cluster/actions/cancel-rolling-reprov')
    expect(job).to.deep.include({
      row: 'POST /api/clusters/:cluster/jobs/:job/actions/cancel',
      params: { cluster: 'shop', job: '8' },
    })
    expect(scheduled?.row).to.equal('POST /api/clusters/:cluster/actions/cancel-switchover')
    expect(failover).to.equal(undefined)
  })
})

describe('alerts of all clusters', () => {
  it('are empty lists where a reply has nothing', () => {
    expect(readAlertBoard({})).to.deep.equal({ receivers: [], escalation: [], answered: [], silences: [] })
    expect(readAlertBoard({ receivers: [{ channel: 'mail' }] }).receivers[0]).to.deep.equal({
      ...{ channel: 'mail', receiver: '', clusters: [], onlyEscalations: false, waiting: 0 },
    })
  })

  it('have answers by cluster, code and server', () => {
    const { answered } = readAlertBoard({
      answered: [{ cluster: 'shop', code: 'ERR00012', server: 'db1', acknowledged: { owner: 'ann', reason: 'on it' } }],
    })
    const find = findAnswer(answered)
    expect(find('shop', 'ERR00012', 'db1')?.acknowledged).to.deep.equal({ owner: 'ann', reason: 'on it' })
    expect(find('shop', 'ERR00012', undefined)).to.equal(undefined)
  })

  it('have silences that run first, and the latest end of those that are over', () => {
    const at = (id: string, state: 'planned' | 'running' | 'ended', endsAt: number) => ({
      ...{ id, state, endsAt, startsAt: 0, cluster: '', codes: [], servers: [], owner: '', reason: '' },
    })
    const sorted = sortSilences([
      at('a', 'ended', 1),
      at('b', 'planned', 9),
      at('c', 'ended', 2),
      at('d', 'running', 3),
    ])
    expect(sorted.map(({ id }) => id)).to.deep.equal(['d', 'b', 'c', 'a'])
  })

  it('name few clusters and count many', () => {
    expect(renderClusters(['shop', 'bank'])).to.equal('shop and bank')
    expect(renderClusters(['', 'a', 'b', 'c'])).to.equal('3 clusters and the manager')
    expect(renderClusters([''])).to.equal('the manager')
  })
})

describe('certificates', () => {
  const times = (from: number, until: number) => ({
    notBefore: new Date(NOW + from * DAY).toISOString(),
    notAfter: new Date(NOW + until * DAY).toISOString(),
  })

  it('are judged by their time, and the first to expire is found', () => {
    const { clusters, listener } = readFleetCertificates({
      clusters: [{ cluster: 'shop', ca: times(-9, 900), server: times(-9, 12), client: times(-9, 40) }],
    })
    expect(listener).to.equal(undefined)
    const [set] = clusters
    const first = set && firstToExpire(set)
    expect(first?.use).to.equal('server')
    expect(first && judgeValidity(first, NOW)).to.equal('soon')
    expect(first && renderExpiry(first.notAfter, NOW)).to.equal('in 12 days')
    expect(judgeValidity({ notBefore: NOW - DAY, notAfter: NOW }, NOW)).to.equal('expired')
    expect(judgeValidity({ notBefore: NOW + 1, notAfter: NOW + DAY }, NOW)).to.equal('not-yet')
    expect(spent({ notBefore: NOW - DAY, notAfter: NOW + DAY }, NOW)).to.equal(0.5)
  })

  it('of servers are read from their status', () => {
    expect(expiryOfStatus('Nov 18 07:40:12 2036 GMT')).to.equal(Date.parse('2036-11-18T07:40:12Z'))
    expect(expiryOfStatus('')).to.equal(undefined)
    expect(expiryOfStatus(undefined)).to.equal(undefined)
  })
})

describe('routes of a proxy', () => {
  const backend = (host: string, status: string) => ({ host, port: '3306', status })
  const read = (more: object) =>
    readProxies([{ id: 'px', name: 'px', type: 'haproxy', host: 'lb', port: '1', state: 'ProxyRunning', ...more }])[0]
  const differing = (more: object) => {
    const proxy = read(more)
    return proxy && routesOf(proxy).map(({ group, address, differs }) => [group, address, differs])
  }
  const wanted = {
    wantedWrite: [{ host: 'db1', port: '3306', state: 'ready' }],
    wantedRead: [
      { host: 'db1', port: '3306', state: 'drain' },
      { host: 'db2', port: '3306', state: 'ready' },
    ],
  }

  it('agree, or are wanted and not used, or used and not wanted', () => {
    const seen = {
      backendsWrite: [backend('db1', 'MAINT')],
      backendsRead: [backend('db1', 'UP'), backend('db2', 'UP')],
    }
    expect(differing({ ...wanted, ...seen })).to.deep.equal([
      ['writes', 'db1:3306', true],
      ['reads', 'db2:3306', false],
      ['reads', 'db1:3306', true],
    ])
  })

  it('are not compared where nothing is wanted, or the proxy does not answer', () => {
    const seen = { backendsWrite: [backend('db1', 'UP')], backendsRead: [] }
    expect(differing(seen)).to.deep.equal([['writes', 'db1:3306', undefined]])
    expect(differing({ ...wanted, ...seen, state: 'Failed' })?.map(([, , differs]) => differs)).to.deep.equal([
      ...[undefined, undefined],
    ])
  })

  it('take connections by the words of each kind of proxy', () => {
    for (const word of ['UP', 'UP 1/3', 'no check', 'ONLINE', 'Master, Running'])
      expect(takesConnections(word)).to.equal(true)
    for (const word of ['MAINT', 'DRAIN', 'DOWN', 'SHUNNED', 'OFFLINE_SOFT', 'Maintenance, Running', 'Down'])
      expect(takesConnections(word), word).to.equal(false)
  })
})

describe('the remedy of many', () => {
  const plan = {
    ...{ kind: 'backup', possible: true, steps: [], changes: [], follows: [], pauseMs: 0, risks: [] },
    confirm: 'yes' as const,
  }
  const lines = remediesOf('WARN0101', [
    { cluster: 'a' },
    { cluster: 'b' },
    { cluster: 'b' },
    { cluster: 'c' },
    { cluster: '' },
  ]).map((action) => ({ key: clusterOf(action), action, plan }))
  const progress = (ending: Progress['ending']): Progress => ({
    ...{ id: '1', title: 't', startedAt: 0, losses: [], steps: [], ending },
  })
  const failed: LineEnd = { type: 'failed', plan, failure: { status: 409, code: 'plan-changed', text: 'changed' } }

  const world = (ends: Readonly<Record<string, LineEnd>>) => {
    const applied: string[] = []
    const states: Record<string, LineState> = {}
    let isStopped = false
    const self: BatchWorld = {
      plan: async () => ({ type: 'planned', plan }),
      apply: async (action) => {
        const cluster = clusterOf(action)
        applied.push(cluster)
        return ends[cluster] ?? { type: 'ended', plan, progress: progress('succeeded') }
      },
    }
    return {
      ...{ self, applied, states },
      stop: () => {
        isStopped = true
      },
      watch: {
        isStopped: () => isStopped,
        onState: (key: string, state: LineState) => {
          states[key] = state
        },
      },
    }
  }

  it('is one action for each cluster, and none where the manager has no answer', () => {
    expect(lines.map(({ key }) => key)).to.deep.equal(['a', 'b', 'c'])
    expect(remediesOf('WARN9999', [{ cluster: 'a' }])).to.deep.equal([])
  })

  it('plans all, and runs one after another', async () => {
    const { self, watch, states, applied } = world({})
    await planLines(lines, self, watch)
    expect(Object.values(states).every(canRun)).to.equal(true)
    expect(await runLines(lines, { world: self, watch, goOn: false })).to.equal(true)
    expect(applied).to.deep.equal(['a', 'b', 'c'])
  })

  it('ends after one that was refused, failed, or lost something, unless it is to go on', async () => {
    const ends = [failed, { type: 'unknown', plan }, { type: 'ended', plan, progress: progress('lossy') }] as const
    for (const end of ends) {
      const { self, watch, states, applied } = world({ b: end })
      expect(await runLines(lines, { world: self, watch, goOn: false })).to.equal(false)
      expect(applied).to.deep.equal(['a', 'b'])
      expect(states.b).to.deep.equal(end)
    }
    const { self, watch, applied } = world({ b: failed })
    expect(await runLines(lines, { world: self, watch, goOn: true })).to.equal(false)
    expect(applied).to.deep.equal(['a', 'b', 'c'])
  })

  it('stops before the next one when a person says so', async () => {
    const { self, watch, applied, stop } = world({})
    const stopping: BatchWorld = {
      ...self,
      apply: (...given) => {
        stop()
        return self.apply(...given)
      },
    }
    expect(await runLines(lines, { world: stopping, watch, goOn: true })).to.equal(false)
    expect(applied).to.deep.equal(['a'])
  })

  it('runs no plan that is impossible or asks for a name', () => {
    expect(canRun({ type: 'planned', plan: { ...plan, possible: false } })).to.equal(false)
    expect(canRun({ type: 'planned', plan: { ...plan, confirm: 'name' } })).to.equal(false)
  })
})
