// What the hosts of a cluster were asked to do, on disk: `host-orders.json`, so that a restarted manager knows their tokens and ends.
import path from 'node:path'
import * as z from 'zod'
import type { Result } from '../../base/result.js'
import { hostTasks } from '../../model/operation/host-task.js'
import { readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

const reported = z.object({ state: z.enum(['done', 'error']), text: z.string(), bytes: z.number() })

const shape = z.object({
  /** Orders of the API mode. */
  orders: z.array(
    z.object({
      ...{ id: z.number().int(), server: z.string(), task: z.enum(hostTasks), line: z.string(), taken: z.boolean() },
      ended: reported.optional(),
    }),
  ),
  /** By what the lines of a task are let in. */
  tokens: z.array(z.object({ server: z.string(), task: z.enum(hostTasks), token: z.string() })),
})

type Shape = z.infer<typeof shape>

export type StoredHostOrders = { readonly [N in keyof Shape]: readonly Shape[N][number][] }

const format: StateFormat<StoredHostOrders> = {
  version: 1,
  accept: (value) => shape.safeParse(value).data,
}

const fileOf = (directory: string): string => path.join(directory, 'host-orders.json')

/** None when there were none. `damage`: what is wrong with the file. */
export const readHostOrders = (directory: string): Promise<StateReading<StoredHostOrders>> =>
  readState(fileOf(directory), format)

/** On disk when it resolves. Failure: `file-unwritable`. */
export const writeHostOrders = (directory: string, stored: StoredHostOrders): Promise<Result<void>> =>
  writeState(fileOf(directory), format, stored)
