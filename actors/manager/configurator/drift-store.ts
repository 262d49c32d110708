// What the drift of a cluster stores on disk: its record, and the files of custom.d beside each server's archive.
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { modeOf } from '../../../lib/base/files/modes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import {
  type DriftRecord,
  emptyOverlay,
  type OverlayName,
  overlayFile,
  PRESERVED_BY_CLUSTER,
} from '../../../lib/configure/index.js'
import { atomicWrite } from '../../../lib/store/index.js'

const FILE = 'drift.json'

const kept = z.record(z.string(), z.object({ value: z.string(), expected: z.string() }))
const record = z.object({
  expected: z.record(z.string(), z.string()),
  undecided: kept,
  agreed: kept,
  cleared: kept,
  pending: kept,
  found: kept.default({}),
  /** It does not run on a generated configuration, and is watched nevertheless. */
  adopted: z.boolean().optional(),
})
const format = z.record(z.string(), record)

export type ServerRecord = DriftRecord & { readonly adopted?: boolean | undefined }

/** By `host:port`. */
export type DriftRecords = Readonly<Record<string, ServerRecord>>

/** The record of a cluster; an empty one where there is none. A damaged one is a failure: it must not be overwritten. */
export async function readDriftRecords(clusterDirectory: string): Promise<Result<DriftRecords>> {
  const file = path.join(clusterDirectory, FILE)
  const text = await readText(file, '{}')
  if (!text.ok) return text
  try {
    return ok(format.parse(JSON.parse(text.value)))
  } catch (error) {
    return fail('file-unreadable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

export const writeDriftRecords = (clusterDirectory: string, records: DriftRecords): Promise<Result<void>> =>
  atomicWrite(path.join(clusterDirectory, FILE), `${JSON.stringify(records)}\n`)

/** An overlay of a server as it is on disk. */
export const readOverlay = (directory: string, name: OverlayName): Promise<Result<string>> =>
  readText(path.join(directory, overlayFile(name)), emptyOverlay(name))

/** Written only when it has changed; true when it has. */
export async function writeOverlay(directory: string, name: OverlayName, text: string): Promise<Result<boolean>> {
  const before = await readOverlay(directory, name)
  if (!before.ok || before.value === text) return before.ok ? ok(false) : before
  // The directory comes with the first archive of the server, which may not be built yet.
  await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
  const written = await atomicWrite(path.join(directory, overlayFile(name)), text)
  return written.ok ? ok(true) : written
}

/** The variables that are preserved on every server of the cluster. */
export const readPreserved = (clusterDirectory: string): Promise<Result<string>> =>
  readText(path.join(clusterDirectory, PRESERVED_BY_CLUSTER), '')

export async function writePreserved(clusterDirectory: string, text: string): Promise<Result<void>> {
  const before = await readPreserved(clusterDirectory)
  if (!before.ok || before.value === text) return before.ok ? done : before
  return atomicWrite(path.join(clusterDirectory, PRESERVED_BY_CLUSTER), text)
}

async function readText(file: string, otherwise: string): Promise<Result<string>> {
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ok(otherwise)
    return fail('file-unreadable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
