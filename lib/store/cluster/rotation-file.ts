// The rotation of a cluster's passwords on disk: `rotation.json`, written before each of its steps, mode 0600.
import path from 'node:path'
import * as z from 'zod'
import { askerShape } from '../../access/index.js'
import type { Result } from '../../base/result.js'
import { type Rotation, rotationPhases } from '../../model/operation/rotation.js'
import { readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

export interface StoredRotation {
  readonly rotation: Rotation
  /** The passwords, encrypted where there is a key; absent when it has ended. */
  readonly secrets?: string
}

const shape = z.looseObject({
  rotation: z.looseObject({
    id: z.string(),
    owner: z.string(),
    asker: askerShape.exactOptional(),
    startedAt: z.number(),
    phase: z.enum(rotationPhases),
    users: z.array(z.string()),
    renewed: z.array(z.string()),
    informed: z.array(z.string()).optional(),
    turn: z.looseObject({ server: z.string(), start: z.boolean() }).optional(),
  }),
  secrets: z.string().optional(),
})

const format: StateFormat<StoredRotation> = {
  version: 1,
  accept: (value) => {
    const parsed = shape.safeParse(value)
    return parsed.success ? (parsed.data as unknown as StoredRotation) : undefined
  },
}

const fileOf = (directory: string): string => path.join(directory, 'rotation.json')

/** The latest rotation, ended or not; none when there was none. `damage`: what is wrong with the file. */
export const readRotation = (directory: string): Promise<StateReading<StoredRotation>> =>
  readState(fileOf(directory), format)

/** On disk when it resolves. Failure: `file-unwritable`. */
export async function writeRotation(directory: string, stored: StoredRotation): Promise<Result<void>> {
  const written = await writeState(fileOf(directory), format, stored)
  // The backup copy holds no secrets of an ended rotation either.
  return written.ok && stored.secrets === undefined ? writeState(fileOf(directory), format, stored) : written
}
