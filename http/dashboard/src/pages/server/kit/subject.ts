// The server that the address names, as every tab of its pages shows it.

import type { Reply, ValueAddress } from '../../../../../client/api/types.js'
import { readServers, type Server } from '../../../model/cluster/server.js'
import { type Details, findMember, readDetails } from '../../../model/server/details.js'
import type { PageProps } from '../../../parts/page-props.js'
import { type Reading, useReading } from '../../../store/reading.js'

export interface Subject {
  readonly cluster: string
  /** As the address names it. */
  readonly name: string
  readonly params: { readonly cluster: string; readonly server: string }
  readonly server: Server | undefined
  readonly details: Details | undefined
  readonly reading: Reading<unknown>
  /** It does not answer: what is read of it is what was read last. */
  readonly isDown: boolean
}

export function useSubject({ params }: PageProps): Subject {
  const { cluster = '', server: name = '' } = params
  const reading = useReading('GET /api/clusters/:cluster/topology/servers', { params: { cluster }, every: 'live' })
  const wire = reading.value === undefined ? undefined : findMember(reading.value, name)
  const server = wire && readServers(reading.value).find(({ id }) => id === wire.id)
  const isDown = server?.condition === 'down'
  return {
    ...{ cluster, name, server, reading, isDown, params: { cluster, server: name } },
    details: wire && readDetails(wire),
  }
}

/** What is read of a server, now or as it was read last. */
type ServerRead = Extract<ValueAddress, `GET /api/clusters/:cluster/servers/:server/${string}`>

/** Of a server that is down the manager is asked for what it read last. */
export const useOfServer = <A extends ServerRead>(
  row: A,
  { params, isDown, server }: Pick<Subject, 'params' | 'isDown' | 'server'>,
  traits: { readonly every?: number | 'live'; readonly when?: boolean } = {},
): Reading<Reply<A>> =>
  useReading(row as 'GET /api/clusters/:cluster/servers/:server/status', {
    ...traits,
    params,
    when: server !== undefined && traits.when !== false,
    ...(isDown ? { query: { last: true } } : {}),
  }) as Reading<unknown> as Reading<Reply<A>>
