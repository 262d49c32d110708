// How many connections the operating system lets a port have: files of the process are databases, logs and archives as well.
import { readFile } from 'node:fs/promises'

/** Files of the process that are never given to visitors, and the most of all of them, as a share. */
const OWN_FILES = 2_048
const OWN_SHARE = 0.5
/** Each may be full. */
const PORTS = 2

/** Files that this process may have open; Infinity where the system does not say. Node has raised it to the hard limit. */
export async function readFileLimit(file = '/proc/self/limits'): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const limit = Number(/^Max open files\s+(\d+)/m.exec(text)?.[1])
  return Number.isNaN(limit) ? Infinity : limit
}

/** The configured number, or as many as leave enough files to the databases: a flooded port must not make databases appear failed. */
export function boundConnections(wanted: number, files: number): number {
  if (files === Infinity) return wanted
  const own = Math.min(OWN_FILES, files * OWN_SHARE)
  return Math.max(1, Math.min(wanted, Math.floor((files - own) / PORTS)))
}
