// What checksums found, table by table: `checksums.json` of the cluster, written while a run goes on, so that it is gone on with.
import path from 'node:path'
import * as z from 'zod'
import type { Result } from '../../base/result.js'
import { checksumStates, rowDifferences, serverVerdicts, type TableChecksum } from '../../model/checksum/checksum.js'
import { readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

const keyValues = z.array(z.string().nullable())

const shape = z.array(
  z.looseObject({
    ...{ schema: z.string(), table: z.string(), state: z.enum(checksumStates), job: z.number(), primary: z.string() },
    ...{ startedAt: z.number(), chunks: z.number(), rows: z.number(), crc: z.number() },
    servers: z.array(
      z.looseObject({
        ...{
          server: z.string(),
          name: z.string(),
          verdict: z.enum(serverVerdicts),
          chunks: z.number(),
          open: z.number(),
        },
      }),
    ),
    differences: z.array(
      z.looseObject({
        ...{ server: z.string(), chunk: z.number(), predicate: z.string() },
        rows: z.array(z.looseObject({ kind: z.enum(rowDifferences), key: keyValues })),
      }),
    ),
    cursor: keyValues.optional(),
    key: z.array(z.looseObject({ name: z.string(), kind: z.string(), nullable: z.boolean() })).optional(),
  }),
)

const format: StateFormat<readonly TableChecksum[]> = {
  version: 1,
  accept: (value) => shape.safeParse(value).data as readonly TableChecksum[] | undefined,
}

const fileOf = (directory: string): string => path.join(directory, 'checksums.json')

/** Of every table that was compared; `damage`: what is wrong with the file. */
export const readChecksums = (directory: string): Promise<StateReading<readonly TableChecksum[]>> =>
  readState(fileOf(directory), format)

/** Failure: `file-unwritable`. */
export const writeChecksums = (directory: string, tables: readonly TableChecksum[]): Promise<Result<void>> =>
  writeState(fileOf(directory), format, tables)
