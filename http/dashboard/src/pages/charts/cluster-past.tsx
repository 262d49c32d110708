// The past on the page of a cluster, loaded after it: charts of its servers, and what happened last.
import { useMemo } from 'preact/hooks'
import type { Server } from '../../model/cluster/server.js'
import { LatestPanel } from '../cluster/timeline/latest-panel.js'
import { ChartsPanel } from './charts-panel.js'
import { clusterCharts, clusterNames } from './cluster-forms.js'

export function ClusterPast({ cluster, servers }: { readonly cluster: string; readonly servers: readonly Server[] }) {
  const names = useMemo(() => new Map(servers.map(({ id, name }) => [id, name])), [servers])
  return (
    <>
      <ChartsPanel cluster={cluster} names={clusterNames} chartsOf={(series) => clusterCharts(series, names)} />
      <LatestPanel cluster={cluster} names={Object.fromEntries(names)} />
    </>
  )
}
