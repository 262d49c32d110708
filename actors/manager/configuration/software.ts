// The software of each server of a cluster, kept over restarts: its configuration must not change before it answers.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { Software } from '../../../lib/configure/index.js'
import { addressText } from '../../../lib/model/server/server.js'
import { atomicWrite } from '../../../lib/store/index.js'
import type { GatewayView } from '../../protocol/cluster.js'

const FILE = 'software.json'

const number = z.int().min(0)
const format = z.record(
  z.string(),
  z.object({
    flavour: z.enum(['mariadb', 'mysql', 'percona']),
    version: z.object({ major: number, minor: number, patch: number }),
  }),
)

/** By `host:port`. */
export type SoftwareRecords = Readonly<Record<string, Software>>

/** The record of a cluster; an empty one when there is none, or none that can be read: it fills up again automatically. */
export async function readSoftware(clusterDirectory: string): Promise<SoftwareRecords> {
  try {
    return format.parse(JSON.parse(await readFile(path.join(clusterDirectory, FILE), 'utf8')))
  } catch {
    return {}
  }
}

export const writeSoftware = (clusterDirectory: string, records: SoftwareRecords) =>
  atomicWrite(path.join(clusterDirectory, FILE), `${JSON.stringify(records, undefined, 2)}\n`)

/** The record with what the servers report now; the same object when nothing is new. */
export function noteSoftware(records: SoftwareRecords, { servers }: Pick<GatewayView, 'servers'>): SoftwareRecords {
  const reported = servers.flatMap((server) => {
    const { software } = server
    const before = records[addressText(server)]
    return software && JSON.stringify(software) !== JSON.stringify(before) ? [[addressText(server), software]] : []
  })
  return reported.length === 0 ? records : { ...records, ...Object.fromEntries(reported) }
}
