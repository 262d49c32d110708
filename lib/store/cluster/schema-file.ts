// The schema of a cluster as last scanned: `schema.tsv`, a line for each table, and `schema.json`, what was noticed.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { Result } from '../../base/result.js'
import type { SchemaReport } from '../../model/checksum/schema.js'
import { atomicWrite } from '../kit/atomic-write.js'
import { readState, type StateFormat, writeState } from '../kit/state-file.js'

const change = z.looseObject({
  ...{ schema: z.string(), table: z.string(), kind: z.enum(['created', 'dropped', 'altered']) },
  lines: z.array(z.string()),
})

const shape = z.looseObject({
  ...{ tables: z.number(), unread: z.array(z.string()) },
  changes: z.array(change.extend({ at: z.number() })),
  differences: z.array(change.extend({ server: z.string(), name: z.string() })),
})

const format: StateFormat<SchemaReport> = {
  version: 1,
  accept: (value) => shape.safeParse(value).data as SchemaReport | undefined,
}

const reportFile = (directory: string): string => path.join(directory, 'schema.json')
const tablesFile = (directory: string): string => path.join(directory, 'schema.tsv')

/** Undefined before the first scan, and where the file cannot be read: the next scan is the first one then. */
export const readSchemaReport = async (directory: string): Promise<SchemaReport | undefined> =>
  (await readState(reportFile(directory), format)).value

/** Failure: `file-unwritable`. */
export const writeSchemaReport = (directory: string, report: SchemaReport): Promise<Result<void>> =>
  writeState(reportFile(directory), format, report)

/** The definition of each table as JSON of its lines, by the table's key; undefined before the first scan. Nothing is parsed before it is needed. */
export async function readDefinitions(directory: string): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await readFile(tablesFile(directory), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const tab = line.indexOf('\t')
        return [line.slice(0, tab), line.slice(tab + 1)] as const
      }),
  )
}

/** Neither a key nor a definition has a tab or a line break: both are JSON. Failure: `file-unwritable`. */
export const writeDefinitions = (directory: string, definitions: ReadonlyMap<string, string>): Promise<Result<void>> =>
  atomicWrite(tablesFile(directory), [...definitions].map(([key, definition]) => `${key}\t${definition}\n`).join(''))
