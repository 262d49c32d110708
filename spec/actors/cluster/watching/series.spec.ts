// Series of a cluster: from readings of its servers to points that are asked for, over a restart of the actor.
import { expect } from 'chai'
import type { Recorded } from '../../../../actors/cluster/watching/series.js'
import { SeriesWatch } from '../../../../actors/cluster/watching/series.js'
import { unwrap } from '../../../../lib/base/result.js'
import { MINUTE, now, SECOND } from '../../../../lib/base/time.js'
import { seriesNames, spanOf } from '../../../../lib/metrics/series/index.js'
import { named } from '../../../../lib/model/server/named.js'
import { slowReading } from '../../../support/http/view-input.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { primary, replica, situation } from '../../../support/simulator/situation.js'

/** The running cluster, as much of it as the series need. */
function clusterIn(directory: string) {
  const { snapshot, memory, settings } = situation([primary(), replica(2)])
  const noted: string[] = []
  const actor = {
    init: { name: 'demo', directory, settings: {} },
    state: { snapshot, memory, settings, ready: true },
    tell: (_type: string, { text }: { text: string }) => noted.push(text),
  } as unknown as Recorded
  return { actor, noted, servers: snapshot.servers }
}

const status = (queries: number, uptime: number) =>
  named({ queries: `${queries}`, threads_running: '3', uptime: `${uptime}` })

describe('SeriesWatch', () => {
  const queries = 'mysql_global_status_queries'
  const asked = { names: [queries, 'mysql_global_status_threads_running', 'manager_cluster_up'] }

  it('gives the growth of counters, gauges and the cluster as a whole', async () => {
    const { actor, servers } = clusterIn(newDirectory('series'))
    const [server] = servers
    if (!server) throw new Error('the situation has no server')
    const watch = new SeriesWatch(actor)
    const at = now()
    watch.noteStatus(slowReading(server.id, { at: at - 20 * SECOND, status: status(100, 100) }))
    watch.noteStatus(slowReading(server.id, { at, status: status(600, 120) }))
    watch.tick()
    // The row of the cluster may be the next one.
    const span = spanOf({ from: at - MINUTE, to: at + 10 * SECOND }, at)
    const { series } = unwrap(await watch.read({ ...asked, span }))
    expect(series.map((one) => [one.name, one.server])).to.deep.equal([
      ['manager_cluster_up', null],
      ...servers.flatMap(({ id }) => [
        [queries, id],
        ['mysql_global_status_threads_running', id],
      ]),
    ])
    const of = (name: string) => series.find((one) => one.name === name)?.values.filter((value) => value !== null)
    expect(new Set(of(queries))).to.deep.equal(new Set([25]))
    expect(new Set(of('mysql_global_status_threads_running'))).to.deep.equal(new Set([3]))
    expect(of('manager_cluster_up')).to.have.length(1)
  })

  it('has what was known before a restart, and a gap for the time between', async () => {
    const directory = newDirectory('series')
    const { actor, servers } = clusterIn(directory)
    const [server] = servers
    if (!server) throw new Error('the situation has no server')
    const at = now()
    const before = new SeriesWatch(actor)
    before.noteStatus(slowReading(server.id, { at: at - 70 * SECOND, status: status(0, 10) }))
    before.noteStatus(slowReading(server.id, { at: at - 50 * SECOND, status: status(200, 30) }))
    await before.close()
    const after = new SeriesWatch(actor)
    after.noteStatus(slowReading(server.id, { at, status: status(9_000, 80) }))
    const span = spanOf({ from: at - 2 * MINUTE, to: at }, at)
    const { series } = unwrap(await after.read({ names: [queries], server: server.id, span }))
    const values = series[0]?.values ?? []
    expect(values.filter((value) => value !== null)).to.deep.equal([10, 10, 10])
    expect(values.slice(-3)).to.deep.equal([null, null, null])
  })

  it('has only servers whose name in carbon fits, where that is asked for', async () => {
    const { actor, servers } = clusterIn(newDirectory('series'))
    const watch = new SeriesWatch(actor)
    const span = spanOf({ from: now() - MINUTE, to: now() }, now())
    const read = async (hosts: readonly string[]) =>
      unwrap(await watch.read({ names: seriesNames, hosts, span })).series.map((one) => one.server)
    expect(await read(['^nobody$'])).to.deep.equal([])
    expect(new Set(await read(['^[^.]*$']))).to.deep.equal(new Set(servers.map(({ id }) => id)))
  })

  it('refuses a server that the cluster does not have', async () => {
    const watch = new SeriesWatch(clusterIn(newDirectory('series')).actor)
    const refused = await watch.read({ ...asked, server: 'db9', span: spanOf({ from: 0, to: now() }, now()) })
    expect(refused.ok ? undefined : refused.failure.code).to.equal('unknown-server')
  })
})
