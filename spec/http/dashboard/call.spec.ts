// What the compiler refuses of the dashboard: each line below `@ts-expect-error` fails the build as soon as it compiles.
import { expect } from 'chai'
import { call } from '../../../http/dashboard/src/client/call.js'
import { fieldsOf, wireOf } from '../../../http/dashboard/src/model/wire.js'
import { type Action, clusterOf } from '../../../http/dashboard/src/plan/action.js'
import { useReading } from '../../../http/dashboard/src/store/reading.js'

/** Compiled and never called. */
async function asked(): Promise<readonly unknown[]> {
  const jobs = useReading('GET /api/clusters/:cluster/jobs', { params: { cluster: 'shop' }, every: 'live' })
  // @ts-expect-error: no such path
  useReading('GET /api/clusters/:cluster/job', { params: { cluster: 'shop' } })
  // @ts-expect-error: a parameter is missing
  useReading('GET /api/clusters/:cluster/jobs', { every: 'live' })
  // @ts-expect-error: a query parameter that it does not take
  useReading('GET /api/timeline', { query: { king: 'operation' } })
  // @ts-expect-error: a field that the reply does not have
  const wrong = jobs.value?.server
  // @ts-expect-error: a body without what it requires
  await call('POST /api/clusters/:cluster/alerts/acknowledge', { params: { cluster: 'shop' }, body: {} })
  const read = fieldsOf(wireOf<'GET /api/clusters/:cluster/jobs'>({}))
  // @ts-expect-error: a reader of replies names a field that the reply does not have
  return [wrong, read.server]
}

const words = { title: 'Switch over', grant: 'cluster-switchover', kind: 'interrupting' } as const
const good: Action = { ...words, row: 'POST /api/clusters/:cluster/actions/switchover', params: { cluster: 'shop' } }
// @ts-expect-error: pages do not act by GET
const byGet: Action = { ...words, row: 'GET /api/clusters/:cluster/actions/switchover', params: { cluster: 'shop' } }
// @ts-expect-error: the path names a server too
const short: Action = {
  ...words,
  row: 'POST /api/clusters/:cluster/servers/:server/actions/stop',
  params: { cluster: 'a' },
}

describe('requests of the dashboard', () => {
  it('are refused by the compiler when they are wrong', () => {
    expect([asked, byGet, short]).to.have.length(3)
    expect(clusterOf(good)).to.equal('shop')
  })
})
