// What is done about tables: compared, repaired on a replica, their definitions read; as actions of the plan sheet.
import { type ComparedTable, nameOfTable, type ServerVerdict } from '../../model/upkeep/checksums.js'
import type { Action } from '../../plan/action.js'

type Named = Pick<ComparedTable, 'schema' | 'table'>

/** What may read jobs, and so follow the work of these actions. */
export const jobReaders = ['cluster-process', 'cluster-show-jobs'] as const

const comparing = { grant: 'cluster-checksum', kind: 'harmless', follow: 'job' } as const

export const compareAll = (cluster: string): Action => ({
  ...{ title: 'Compare all tables', row: 'POST /api/clusters/:cluster/actions/checksum-all-tables' },
  ...{ params: { cluster }, ...comparing },
})

export const compareTable = (cluster: string, { schema, table }: Named): Action => ({
  title: `Compare ${nameOfTable({ schema, table })}`,
  row: 'POST /api/clusters/:cluster/schema/:schema/:table/actions/checksum-table',
  ...{ params: { cluster, schema, table }, ...comparing },
})

/** Rows that only the replica has are deleted there. */
export const repairTable = (
  cluster: string,
  { schema, table }: Named,
  { server, name }: Pick<ServerVerdict, 'server' | 'name'>,
): Action => ({
  title: `Repair ${nameOfTable({ schema, table })} on ${name}`,
  row: 'POST /api/clusters/:cluster/servers/:server/schema/:schema/:table/actions/repair-table',
  params: { cluster, server, schema, table },
  ...{ grant: 'cluster-checksum-repair', kind: 'destroying', follow: 'job' },
})

export const scanSchema = (cluster: string): Action => ({
  ...{ title: 'Scan the schema', row: 'POST /api/clusters/:cluster/actions/scan-schema', params: { cluster } },
  ...{ grant: ['cluster-checksum', 'cluster-sharding'], kind: 'harmless', follow: 'job' },
})

export const cancelJob = (cluster: string, job: string, what: string): Action => ({
  ...{ title: `Cancel the ${what}`, row: 'POST /api/clusters/:cluster/jobs/:job/actions/cancel' },
  ...{ params: { cluster, job }, grant: 'cluster-process', kind: 'interrupting' },
})
