// The rolling operation of a cluster on disk: `rolling.json`, written before each of its steps.
import path from 'node:path'
import * as z from 'zod'
import { askerShape } from '../../access/index.js'
import type { Result } from '../../base/result.js'
import { type Roll, rollKinds } from '../../model/operation/roll.js'
import { readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

const shape = z.looseObject({
  id: z.string(),
  kind: z.enum(rollKinds),
  owner: z.string(),
  asker: askerShape.exactOptional(),
  startedAt: z.number(),
  home: z.string(),
  primary: z.string(),
  phase: z.enum(['running', 'succeeded', 'stopped', 'cancelled']),
  servers: z.array(
    z.looseObject({
      server: z.string(),
      state: z.enum(['waiting', 'acting', 'returning', 'done', 'skipped', 'failed']),
    }),
  ),
})

const format: StateFormat<Roll> = {
  version: 1,
  accept: (value) => {
    const parsed = shape.safeParse(value)
    return parsed.success ? (parsed.data as unknown as Roll) : undefined
  },
}

const fileOf = (directory: string): string => path.join(directory, 'rolling.json')

/** The latest run, ended or not; none when there was none. `damage`: what is wrong with the file. */
export const readRoll = (directory: string): Promise<StateReading<Roll>> => readState(fileOf(directory), format)

/** On disk when it resolves. Failure: `file-unwritable`. */
export const writeRoll = (directory: string, roll: Roll): Promise<Result<void>> =>
  writeState(fileOf(directory), format, roll)
