// The tables of a server that can be compared.
import { ok, type Result } from '../../base/result.js'
import { listTables, parseTables } from '../../dialect/checksum/describe.js'
import type { TableName } from '../../model/checksum/checksum.js'
import type { Peer } from './peer.js'

/** In the order of their names; those of the system and of the schemas `besides` aside. Failures: those of the session. */
export async function listTablesOf(peer: Peer, besides: readonly string[]): Promise<Result<readonly TableName[]>> {
  const read = await peer.ask(listTables(besides))
  return read.ok ? ok(parseTables(read.value)) : read
}
