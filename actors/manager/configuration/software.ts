// What each server of a cluster runs, remembered over restarts: its configuration must not change before it answers.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
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
export type SoftwareBook = Readonly<Record<string, Software>>

/** The book of a cluster; an empty one when there is none, or none that can be read: it fills up again by itself. */
export async function readSoftware(clusterDirectory: string): Promise<SoftwareBook> {
  try {
    return format.parse(JSON.parse(await readFile(path.join(clusterDirectory, FILE), 'utf8')))
  } catch {
    return {}
  }
}

export const writeSoftware = (clusterDirectory: string, book: SoftwareBook) =>
  atomicWrite(path.join(clusterDirectory, FILE), `${JSON.stringify(book, undefined, 2)}\n`)

/** The book with what the servers tell now; the same object when that is nothing new. */
export function noteSoftware(book: SoftwareBook, { servers }: Pick<GatewayView, 'servers'>): SoftwareBook {
  const told = servers.flatMap((server) => {
    const { software } = server
    const before = book[addressText(server)]
    return software && JSON.stringify(software) !== JSON.stringify(before) ? [[addressText(server), software]] : []
  })
  return told.length === 0 ? book : { ...book, ...Object.fromEntries(told) }
}
