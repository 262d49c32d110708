// What can be done with one proxy.
import type { ProxyServer } from '../../model/cluster/proxy.js'
import type { Action } from '../../plan/action.js'

/** Kinds that can be taken out of the configuration by address. */
const dropped = ['haproxy', 'proxysql', 'maxscale', 'sphinx'] as const

interface Place {
  readonly cluster: string
  readonly host: string
  readonly port: string
  readonly type: (typeof dropped)[number]
}

const dropOf = (name: string, params: Place): Action => ({
  title: `No longer configure ${name}`,
  row: 'POST /api/clusters/:cluster/actions/dropserver/:host/:port/:type',
  grant: 'cluster-drop-monitor',
  kind: 'interrupting',
  params,
})

export function proxyActions(cluster: string, { id, name, kind, address }: ProxyServer): readonly Action[] {
  const params = { cluster, proxy: id }
  const work = { params, follow: 'job', query: { wait: false } } as const
  const at = address.lastIndexOf(':')
  const type = dropped.find((each) => each === kind)
  return [
    {
      ...work,
      title: `Start ${name}`,
      row: 'POST /api/clusters/:cluster/proxies/:proxy/actions/start',
      grant: 'proxy-start',
      kind: 'harmless',
    },
    {
      ...work,
      title: `Create ${name}`,
      row: 'POST /api/clusters/:cluster/proxies/:proxy/actions/provision',
      grant: 'prov-proxy-provision',
      kind: 'interrupting',
    },
    {
      ...work,
      title: `Stop ${name}`,
      row: 'POST /api/clusters/:cluster/proxies/:proxy/actions/stop',
      grant: 'proxy-stop',
      kind: 'interrupting',
    },
    ...(type === undefined
      ? []
      : [dropOf(name, { cluster, host: address.slice(0, at), port: address.slice(at + 1), type })]),
    {
      ...work,
      title: `Remove ${name}`,
      row: 'POST /api/clusters/:cluster/proxies/:proxy/actions/unprovision',
      grant: 'prov-proxy-unprovision',
      kind: 'destroying',
    },
  ]
}
