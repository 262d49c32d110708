// How paths name a server: by id, by name, by `host:port`, or by host and port.
import type { GatewayView } from '../../../actors/protocol/cluster.js'
import { addressText } from '../../../lib/model/server/server.js'
import type { Member } from './route.js'

/** The member that `server` (and `port`, when the path has one) names; a bare host must be the only one of its name. */
export function findMember(view: GatewayView, server: string, port?: string): Member | undefined {
  if (port !== undefined) {
    return view.servers.find((member) => String(member.port) === port && isNamed(member, server))
  }
  const named = view.servers.find(
    (member) => member.id === server || member.name === server || addressText(member) === server,
  )
  if (named) return named
  const [only, ...others] = view.servers.filter(({ host }) => host === server)
  return others.length === 0 ? only : undefined
}

type ProxyMember = GatewayView['proxies'][number]

/** The proxy that a path names by id, name or address. */
export const findProxy = ({ proxies }: GatewayView, proxy: string): ProxyMember | undefined =>
  proxies.find((each) => each.id === proxy || each.name === proxy || addressText(each) === proxy)

/** The proxy at host and port: hosts ask for their own needs this way, whatever they run. */
export const findProxyAt = ({ proxies }: GatewayView, host: string, port: string): ProxyMember | undefined =>
  proxies.find((each) => each.host === host && String(each.port) === port)

function isNamed({ id, name, host }: Member, server: string): boolean {
  return host === server || name === server || id === server
}
