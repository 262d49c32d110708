// Named tests of a cluster on disk: `trials.json`, written before each of their steps.
import path from 'node:path'
import * as z from 'zod'
import type { Result } from '../../base/result.js'
import { type TrialBook, trialResults } from '../../model/trial/trial.js'
import { readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

const servers = z.array(z.string())

const undo = z.discriminatedUnion('type', [
  z.object({ type: z.literal('settings') }),
  z.object({ type: z.literal('sessions') }),
  z.object({ type: z.literal('schema') }),
  z.object({ type: z.literal('replication'), servers }),
  z.object({ type: z.literal('maintenance'), servers }),
  z.object({ type: z.literal('role'), server: z.string() }),
])

const run = z.looseObject({
  id: z.number().int(),
  name: z.string(),
  user: z.string(),
  job: z.number().int(),
  startedAt: z.number(),
  endedAt: z.number().optional(),
  phase: z.enum(['testing', 'undoing', 'ended']),
  home: z.string(),
  replicas: servers,
  begun: z.number().int(),
  undo: z.array(undo),
  timeline: z.array(z.looseObject({ text: z.string(), startedAt: z.number() })),
  result: z.enum(trialResults).optional(),
})

const shape = z.looseObject({ open: run.optional(), ended: z.array(run) })

const format: StateFormat<TrialBook> = {
  version: 1,
  accept: (value) => {
    const parsed = shape.safeParse(value)
    return parsed.success ? (parsed.data as unknown as TrialBook) : undefined
  },
}

const fileOf = (directory: string): string => path.join(directory, 'trials.json')

/** What is known of earlier ones; none when there was none. `damage`: what is wrong with the file. */
export const readTrials = (directory: string): Promise<StateReading<TrialBook>> => readState(fileOf(directory), format)

/** On disk when it resolves. Failure: `file-unwritable`. */
export const writeTrials = (directory: string, book: TrialBook): Promise<Result<void>> =>
  writeState(fileOf(directory), format, book)
