// The scheduled switchover of a cluster on disk: `scheduled-switchover.json`, written with each change of it.
import path from 'node:path'
import * as z from 'zod'
import { askerShape } from '../../access/index.js'
import type { Result } from '../../base/result.js'
import { type Appointment, appointmentPhases } from '../../model/operation/appointment.js'
import { readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

const shape = z.looseObject({
  id: z.string(),
  owner: z.string(),
  asker: askerShape.exactOptional(),
  askedAt: z.number(),
  candidate: z.string().optional(),
  from: z.number(),
  until: z.number(),
  phase: z.enum(appointmentPhases),
})

const format: StateFormat<Appointment> = {
  version: 1,
  accept: (value) => {
    const parsed = shape.safeParse(value)
    return parsed.success ? (parsed.data as unknown as Appointment) : undefined
  },
}

const fileOf = (directory: string): string => path.join(directory, 'scheduled-switchover.json')

/** The latest one, ended or not; none when there was none. `damage`: what is wrong with the file. */
export const readAppointment = (directory: string): Promise<StateReading<Appointment>> =>
  readState(fileOf(directory), format)

/** On disk when it resolves. Failure: `file-unwritable`. */
export const writeAppointment = (directory: string, appointment: Appointment): Promise<Result<void>> =>
  writeState(fileOf(directory), format, appointment)
