// What the compiler refuses of a call: each line below `@ts-expect-error` fails the build as soon as it compiles.
import { expect } from 'chai'
import type { Client } from '../../../../http/client/api/client.js'
import type { Plan, Server } from '../../../../http/client/api/generated.js'
import type { Address, Loose, PlannedAddress, ValueAddress } from '../../../../http/client/api/types.js'

/** Compiled and never called. */
async function calls(client: Client): Promise<readonly unknown[]> {
  const servers = await client.call('GET /api/clusters/:cluster/topology/servers', { params: { cluster: 'shop' } })
  const list: readonly Server[] | undefined = servers.ok ? servers.value : undefined
  await client.call('GET /api/status')
  await client.call('GET /api/fleet', { query: { limit: 10, filter: undefined }, timeoutMs: 1_000 })
  await client.call('POST /api/clusters/:cluster/actions/switchover', {
    params: { cluster: 'shop' },
    query: { wait: false, confirm: 'an id' },
    body: { prefmaster: 'db2' },
  })
  const planned = await client.plan('POST /api/clusters/:cluster/actions/switchover', { params: { cluster: 'shop' } })
  const plan: Plan | undefined = planned.ok ? planned.value : undefined
  const events = await client.open('GET /api/clusters/:cluster/events', { params: { cluster: 'shop' } })

  // @ts-expect-error: no such path
  await client.call('GET /api/clusters/:cluster/topology/server', { params: { cluster: 'shop' } })
  // @ts-expect-error: not with this method
  await client.call('DELETE /api/clusters/:cluster/topology/servers', { params: { cluster: 'shop' } })
  // @ts-expect-error: a parameter is missing
  await client.call('GET /api/clusters/:cluster/topology/servers')
  // @ts-expect-error: a parameter of another name
  await client.call('GET /api/clusters/:cluster/topology/servers', { params: { name: 'shop' } })
  // @ts-expect-error: a parameter that the path does not have
  await client.call('GET /api/clusters/:cluster/topology/servers', { params: { cluster: 'shop', server: 'db1' } })
  // @ts-expect-error: a query parameter that the address does not take
  await client.call('GET /api/fleet', { query: { limt: 10 } })
  // @ts-expect-error: a query parameter of another type
  await client.call('GET /api/fleet', { query: { limit: true } })
  await client.call('POST /api/clusters/:cluster/actions/switchover', {
    params: { cluster: 'shop' },
    // @ts-expect-error: a field of the body that the address does not take
    body: { candidate: 'db2' },
  })
  // @ts-expect-error: a body that is required
  await client.call('POST /api/session/link')
  // @ts-expect-error: a word that the parameter does not take
  await client.call('POST /api/clusters/:cluster/alerts/test/:channel', { params: { cluster: 'shop', channel: 'fax' } })
  // @ts-expect-error: reads have no plan
  await client.plan('GET /api/clusters/:cluster/topology/servers', { params: { cluster: 'shop' } })
  // @ts-expect-error: a stream has no value
  await client.call('GET /api/clusters/:cluster/events', { params: { cluster: 'shop' } })
  // @ts-expect-error: a field that the reply does not have
  const wrongField = list?.[0]?.adress
  // @ts-expect-error: a field of another type
  const wrongType: number | undefined = list?.[0]?.host

  return [list, plan, events, wrongField, wrongType]
}

/** A reply of another version of the manager: known fields of known types, any of them absent. */
function readLoosely(server: Loose<Server>): string {
  // @ts-expect-error: it may be absent
  const host: string = server.host
  // @ts-expect-error: there is no such field, at any depth
  const major = server.dbVersion?.mayor
  return `${host}${major}`
}

describe('types of the API', () => {
  it('refuse wrong addresses, parameters, bodies and fields when they are compiled', () => {
    expect([calls, readLoosely]).to.have.length(2)
  })

  it('tell apart what has a value, a plan, a stream', () => {
    const all: readonly Address[] = ['GET /api/clusters/:cluster/events', 'GET /api/status']
    const values: readonly ValueAddress[] = ['GET /api/status', 'POST /api/clusters/:cluster/actions/switchover']
    const planned: readonly PlannedAddress[] = ['POST /api/clusters/:cluster/actions/switchover']
    expect([all, values, planned].map(({ length }) => length)).to.deep.equal([2, 2, 1])
  })
})
