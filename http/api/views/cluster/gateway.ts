// What the gateway itself needs to know of a cluster: names of servers, their slots, the primary, the operation.
import type { GatewayView } from '../../../../actors/protocol/cluster.js'
import { runsOnGenerated } from '../../../../lib/configure/drift/values.js'
import { isSplitBrain } from '../../../../lib/decide/condition.js'
import { textOf } from '../../../../lib/model/server/named.js'
import type { ViewInput } from '../kit/input.js'

/** A server's slot is its place in the snapshot: the same that the actor passes to `setFlags`. */
export const renderGateway = ({ snapshot, active, services = [] }: ViewInput): GatewayView => ({
  servers: snapshot.servers.map(({ id, name, host, port, state, slow }, slot) => ({
    ...{ id, name, host, port, slot },
    ...(runsOnGenerated((variable) => textOf(slow?.variables, variable)) ? { generated: true as const } : {}),
    ...(state ? { software: { flavour: state.identity.flavour, version: state.identity.version } } : {}),
  })),
  proxies: services
    .filter(({ kind }) => kind === 'proxy')
    .map(({ id, name, host, port }) => ({ id, name, host, port })),
  active,
  ...(isSplitBrain(snapshot.findings) ? { splitBrain: true as const } : {}),
  ...(snapshot.primary === undefined ? {} : { primary: snapshot.primary }),
  ...(snapshot.operation ? { operation: { id: snapshot.operation.id, kind: snapshot.operation.kind } } : {}),
})
