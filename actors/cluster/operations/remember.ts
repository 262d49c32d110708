// What a cluster remembers over a restart: its memory and availability figures, in `state.json`.
import path from 'node:path'
import * as z from 'zod'
import { done, type Result } from '../../../lib/base/result.js'
import { MINUTE, SECOND, sleep } from '../../../lib/base/time.js'
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

/**
 * What the servers were seen to hold grows with every write, and is what a primary is compared with that comes back while no manager
 * runs: it is saved after so long when it has grown, and every minute with the figures.
 */
const HELD_MS = 5 * SECOND

/** All clusters of a thread together write no more than 20 such files a second: more clusters, longer pauses, up to a minute. */
const SHARE_MS = SECOND / 20

/** Clusters of this thread. */
let keepers = 0

/** How long what is held may be older on disk than in memory, where so many clusters share a thread. */
export const heldRestMs = (clusters: number): number => Math.min(MINUTE, Math.max(HELD_MS, clusters * SHARE_MS))

/** Writes the state's memory soon after it was asked to, and what has grown from time to time. */
export function keepMemory(
  directory: string,
  read: () => ClusterState,
  { onFailure, copy }: { readonly onFailure: (message: string) => void; readonly copy?: MemoryCopy | undefined },
): Keeper {
  const ending = new AbortController()
  let wanted = false
  let lastCopy = ''
  let isCopyWanted = false
  let savedSet = read().memory.held?.set
  let writing: Promise<void> | undefined
  let waiting: ((written: Result<void>) => void)[] = []

  const writeNow = async (): Promise<void> => {
    const { memory, sla, slaHistory, snapshot } = read()
    const delays = Object.fromEntries(snapshot.servers.flatMap(({ id, delays }) => (delays ? [[id, delays]] : [])))
    const waited = waiting
    waiting = []
    const value: Remembered = { memory, sla, slaHistory, delays }
    const kept = isCopyWanted ? copy : undefined
    isCopyWanted = false
    savedSet = memory.held?.set
    const written = await writeState(fileOf(directory), format, value)
    const copied = written.ok && kept ? await copyOf(value, kept) : written
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
  const begin = (): void => {
    wanted = true
    writing ??= write()
  }
  const save = (): void => {
    isCopyWanted = true
    begin()
  }
  /** No copy goes with it: each stays in the history of etcd. */
  const saveGrown = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await sleep(heldRestMs(keepers), ending.signal)
      if (!ending.signal.aborted && read().memory.held?.set !== savedSet) begin()
    }
  }
  const timer = setInterval(save, MINUTE)
  keepers += 1
  void saveGrown()

  return {
    save,
    saved: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        save()
      }),
    async close() {
      clearInterval(timer)
      if (!ending.signal.aborted) keepers -= 1
      ending.abort()
      await writing
      isCopyWanted = true
      await writeNow()
    },
  }
}
