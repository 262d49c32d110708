// What a cluster remembers over a restart: its memory and availability figures, in `state.json`.
import path from 'node:path'
import * as z from 'zod'
import { done, type Result } from '../../../lib/base/result.js'
import { MINUTE, sleep } from '../../../lib/base/time.js'
import { leavePauses } from '../../../lib/decide/repair/paused.js'
import { leaveDeletions } from '../../../lib/decide/situation/history/deleted-log.js'
import { freshMemory, type Memory } from '../../../lib/model/memory.js'
import type { DelayHour } from '../../../lib/model/server/delay-hour.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { readState, renderState, type StateFormat, writeState } from '../../../lib/store/index.js'
import type { Sla } from '../state/sla.js'
import type { ClusterState } from '../state/state.js'

interface Remembered {
  readonly memory: Memory
  readonly sla?: Sla
  readonly slaHistory?: readonly Sla[]
  /** Delay statistics of the replicas. */
  readonly delays?: Readonly<Record<ServerId, readonly DelayHour[]>>
}

const period = z.object({
  since: z.number(),
  at: z.number(),
  upMs: z.number(),
  failableMs: z.number(),
  syncMs: z.number(),
})

const delayHour = z.object({
  hour: z.number(),
  samples: z.number(),
  delayed: z.number(),
  failed: z.number(),
  sum: z.number(),
  longest: z.number(),
})

const shape = z.object({
  memory: z.looseObject({
    primary: z.string().optional(),
    failoverCount: z.number(),
    lastFailoverAt: z.number(),
    crashes: z.array(z.looseObject({ oldPrimary: z.string(), newPrimary: z.string(), at: z.number() })),
    history: z.array(z.looseObject({ oldPrimary: z.string() })),
    maintenance: z.array(z.string()),
    stoppedOnRequest: z.array(z.string()),
  }),
  sla: period.optional(),
  slaHistory: z.array(period).optional(),
  delays: z.record(z.string(), z.array(delayHour)).optional(),
})

const format: StateFormat<Remembered> = {
  version: 1,
  accept: (value) => {
    const parsed = shape.safeParse(value)
    return parsed.success ? (parsed.data as unknown as Remembered) : undefined
  },
}

/** Of a cluster that was there before, and whose state file is not. */
export const lostMemory: Memory = { ...freshMemory, recovered: true }

const STATE = 'state.json'

const fileOf = (directory: string): string => path.join(directory, STATE)

/** The memory as last saved (fresh when there is none), and what is wrong with the files. */
export async function recall(directory: string): Promise<Remembered & { readonly damage: readonly string[] }> {
  const { value, damage } = await readState(fileOf(directory), format)
  if (!value) return { memory: damage.length > 0 ? lostMemory : freshMemory, damage }
  // Whether everything is visible is checked again; the rest is unchanged.
  const memory = { ...freshMemory, ...value.memory, discovered: false }
  return { ...value, memory: leaveDeletions(leavePauses(memory)), damage }
}

/** Keeps a copy that the next owner of the cluster reads. */
export interface MemoryCopy {
  put(name: string, text: string): Promise<Result<void>>
}

export interface Keeper {
  /** Saves soon; many calls make one write. */
  save(): void
  /** What is remembered now is on disk. Failure: `file-unwritable`. */
  saved(): Promise<Result<void>>
  /** Saves now and ends. */
  close(): Promise<void>
}

/** Between two writes: what changes within this time is saved together. What is lost in it, operations aside, is lost. */
const REST_MS = 100

/** Writes the state's memory soon after it was asked to, and every minute for the figures. */
export function keepMemory(
  directory: string,
  read: () => ClusterState,
  { onFailure, copy }: { readonly onFailure: (message: string) => void; readonly copy?: MemoryCopy | undefined },
): Keeper {
  const ending = new AbortController()
  let wanted = false
  let lastCopy = ''
  let writing: Promise<void> | undefined
  let waiting: ((written: Result<void>) => void)[] = []

  const writeNow = async (): Promise<void> => {
    const { memory, sla, slaHistory, snapshot } = read()
    const delays = Object.fromEntries(snapshot.servers.flatMap(({ id, delays }) => (delays ? [[id, delays]] : [])))
    const waited = waiting
    waiting = []
    const value: Remembered = { memory, sla, slaHistory, delays }
    const written = await writeState(fileOf(directory), format, value)
    const copied = written.ok && copy ? await copyOf(value, copy) : written
    if (!copied.ok) onFailure(copied.failure.message)
    for (const resolve of waited) resolve(copied)
  }
  /** Figures change all the time, and every copy stays in the history of etcd: they go with what else has changed. */
  const copyOf = async (value: Remembered, kept: MemoryCopy): Promise<Result<void>> => {
    const text = JSON.stringify(value.memory)
    if (text === lastCopy) return done
    const copied = await kept.put(STATE, renderState(format, value))
    if (copied.ok) lastCopy = text
    return copied
  }
  const write = async (): Promise<void> => {
    do {
      wanted = false
      await writeNow()
      if (!ending.signal.aborted) await sleep(REST_MS, ending.signal)
    } while (wanted && !ending.signal.aborted)
    writing = undefined
  }
  const save = (): void => {
    wanted = true
    writing ??= write()
  }
  const timer = setInterval(save, MINUTE)

  return {
    save,
    saved: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        save()
      }),
    async close() {
      clearInterval(timer)
      ending.abort()
      await writing
      await writeNow()
    },
  }
}
