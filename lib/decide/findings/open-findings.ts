// The findings that are open in a snapshot: the table of all of them, in the order in which they are reported.
import { printable } from '../../base/printable.js'
import type { Finding } from '../../model/finding.js'
import type { FailoverVerdict } from '../../model/verdict.js'
import { listStrays } from '../repair/rejoin.js'
import type { Situation } from '../situation/situation.js'
import { adviceRows } from './advice-rows.js'
import { clusterRows } from './cluster-rows.js'
import { durabilityRows } from './durability-rows.js'
import { foreignRows } from './foreign-rows.js'
import { galeraMemberRows, galeraRows } from './galera-rows.js'
import { grantRows } from './grant-rows.js'
import type { ClusterRow, FindingInput, ServerRow } from './row.js'
import { serverRows } from './server-rows.js'
import { candidateRows, failedPrimaryRow, standingRows, vetoRows } from './verdict-rows.js'
import { watchRows } from './watch-rows.js'

/**
 * Every finding of lib/decide: first those of the cluster, then server by server, each in the order of its table. Where
 * two rows share a code, the later one's detail is reported, in the earlier one's place.
 */
export const findingTable: { readonly cluster: readonly ClusterRow[]; readonly server: readonly ServerRow[] } = {
  cluster: [...clusterRows, ...galeraRows, ...vetoRows, ...standingRows],
  // Last the privileges: their detail names the statement to run.
  server: [
    ...serverRows,
    ...watchRows,
    ...galeraMemberRows,
    ...adviceRows,
    ...durabilityRows,
    ...foreignRows,
    failedPrimaryRow,
    ...candidateRows,
    ...grantRows,
  ],
}

/** Every open finding, one per code and server; `found` are those of the search for the primary. */
export function openFindings(
  situation: Situation,
  verdict: FailoverVerdict,
  found: readonly Finding[],
): readonly Finding[] {
  const strays = new Map(listStrays(situation).map((stray) => [stray.server.id, stray]))
  const ranking = new Map(verdict.ranking.map((row) => [row.server, row]))
  const input: FindingInput = { situation, verdict, found, strays, ranking }
  const open = new Map<string, Finding>()
  for (const row of findingTable.cluster) {
    const detail = row.detail(input)
    if (detail !== undefined) open.set(row.code, { code: row.code, detail: printable(detail) })
  }
  for (const server of situation.snapshot.servers)
    for (const row of findingTable.server) {
      const detail = row.detail(server, input)
      if (detail !== undefined)
        open.set(`${row.code}@${server.id}`, { code: row.code, server: server.id, detail: printable(detail) })
    }
  return [...open.values()]
}
