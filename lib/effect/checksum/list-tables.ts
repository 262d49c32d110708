// The tables of a server that can be compared.
import { ok, type Result } from '../../base/result.js'
import { listTables, parseTables } from '../../dialect/checksum/describe.js'
import { grantLines, hiddenFrom, ownGrants } from '../../dialect/index.js'
import type { TableName } from '../../model/checksum/checksum.js'
import type { Peer } from './peer.js'

export interface ListedTables {
  /** In the order of their names; those of the system aside. */
  readonly tables: readonly TableName[]
  /** Why there may be others, and what to grant; absent: these are all. */
  readonly hidden?: string
}

/** Without the schemas `besides`. Failures: those of the session. */
export async function listTablesOf(peer: Peer, besides: readonly string[]): Promise<Result<ListedTables>> {
  const read = await peer.ask(listTables(besides))
  if (!read.ok) return read
  const grants = await peer.ask(ownGrants)
  if (!grants.ok) return grants
  const hidden = hiddenFrom('tables', grantLines(grants.value))
  return ok({ tables: parseTables(read.value), ...(hidden === undefined ? {} : { hidden }) })
}
