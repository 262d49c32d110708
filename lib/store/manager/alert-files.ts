// Alerts on disk: `alerts/queue/<id>.json` for what waits to be sent, `alerts/silences.json`, and `alerts.json` of each cluster.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'
import {
  type Acknowledgement,
  type AlertChannel,
  type AlertKind,
  type AlertSilence,
  alertChannels,
  type QueuedAlert,
} from '../../model/alert.js'
import { atomicWrite, codeOf, reasonOf } from '../kit/atomic-write.js'
import { parseObject, readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

/** What a cluster's receivers know, and who takes care of what. */
export interface AlertMemory {
  readonly notified: Readonly<
    Record<
      string,
      { readonly open: boolean; readonly at: number; readonly opens?: readonly number[]; readonly escalatedAt?: number }
    >
  >
  readonly acknowledged: Readonly<Record<string, Acknowledgement>>
}

const message = z.looseObject({
  ...{ id: z.string(), at: z.number(), title: z.string(), text: z.string() },
  level: z.enum(['ALERT', 'ALERTOK']),
  kind: z.enum(['alert', 'escalation', 'test']),
  clusters: z.array(z.string()),
  codes: z.array(z.string()),
  state: z.object({ server: z.string(), url: z.string(), from: z.string(), to: z.string() }).optional(),
})
const queued = z.looseObject({ id: z.string(), channel: z.enum(alertChannels), cluster: z.string(), message })

const silence = z.looseObject({
  ...{ id: z.string(), cluster: z.string(), owner: z.string(), reason: z.string() },
  ...{ codes: z.array(z.string()), servers: z.array(z.string()) },
  ...{ createdAt: z.number(), startsAt: z.number(), endsAt: z.number() },
})

const memory = z.looseObject({
  notified: z.record(
    z.string(),
    z.looseObject({
      open: z.boolean(),
      at: z.number(),
      opens: z.array(z.number()).optional(),
      escalatedAt: z.number().optional(),
    }),
  ),
  acknowledged: z.record(z.string(), z.looseObject({ owner: z.string(), reason: z.string(), at: z.number() })),
})

/** Reports that wait for one receiver: of the channel, as the settings of the cluster name it. */
export interface GatheredAlerts {
  readonly channel: AlertChannel
  readonly cluster: string
  readonly kind: AlertKind
  /** Plain data of the room that makes messages of them. */
  readonly reports: readonly unknown[]
  /** Times of the latest messages. */
  readonly sent: readonly number[]
  /** Of these the times of urgent ones; absent in files of earlier releases. */
  readonly urgent?: readonly number[]
}

const gathered = z.looseObject({
  ...{ channel: z.enum(alertChannels), cluster: z.string(), kind: z.enum(['alert', 'escalation', 'test']) },
  reports: z.array(
    z.looseObject({
      ...{ cluster: z.string(), opened: z.array(z.unknown()), closed: z.array(z.unknown()) },
      ...{ ended: z.array(z.unknown()), story: z.array(z.unknown()), losses: z.array(z.unknown()) },
    }),
  ),
  sent: z.array(z.number()),
  urgent: z.array(z.number()).optional(),
})

const formatOf = <T>(shape: z.ZodType): StateFormat<T> => ({
  version: 1,
  accept: (value) => {
    const parsed = shape.safeParse(value)
    return parsed.success ? (parsed.data as T) : undefined
  },
})

const silencesFormat = formatOf<readonly AlertSilence[]>(z.array(silence))
const gatheredFormat = formatOf<readonly GatheredAlerts[]>(z.array(gathered))
const memoryFormat = formatOf<AlertMemory>(memory)

const folderOf = (directory: string): string => path.join(directory, 'alerts')
const queueOf = (directory: string): string => path.join(folderOf(directory), 'queue')
const silencesOf = (directory: string): string => path.join(folderOf(directory), 'silences.json')
/** The ids are the manager's own. */
const entryOf = (directory: string, id: string): string => path.join(queueOf(directory), `${id}.json`)

export interface QueueReading {
  /** In the order of their ids, which is that of time. */
  readonly entries: readonly QueuedAlert[]
  /** Files that cannot be read, one line each. */
  readonly damage: readonly string[]
}

/** What waited when the manager ended. */
export async function readAlertQueue(directory: string): Promise<QueueReading> {
  const folder = queueOf(directory)
  const names = await readdir(folder).catch(() => [])
  const entries: QueuedAlert[] = []
  const damage: string[] = []
  for (const name of names.filter((each) => each.endsWith('.json')).sort()) {
    const file = path.join(folder, name)
    const text = await readFile(file, 'utf8').catch(() => '')
    const parsed = queued.safeParse(parseObject(text))
    if (parsed.success) entries.push(parsed.data as unknown as QueuedAlert)
    else damage.push(`${file}: no complete alert (${text.length} characters)`)
  }
  return { entries, damage }
}

/** On disk when it resolves. Failure: `file-unwritable`. */
export async function writeQueuedAlert(directory: string, entry: QueuedAlert): Promise<Result<void>> {
  try {
    await mkdir(queueOf(directory), { recursive: true, mode: modeOf('stateFolder') })
  } catch (error) {
    return fail('file-unwritable', `${queueOf(directory)}: ${reasonOf(error)}`)
  }
  return atomicWrite(entryOf(directory, entry.id), `${JSON.stringify(entry)}\n`)
}

/** It was sent, or given up. Failure: `file-unwritable`. */
export async function dropQueuedAlert(directory: string, id: string): Promise<Result<void>> {
  try {
    await rm(entryOf(directory, id))
    return done
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? done : fail('file-unwritable', `${entryOf(directory, id)}: ${reasonOf(error)}`)
  }
}

export const readSilences = (directory: string): Promise<StateReading<readonly AlertSilence[]>> =>
  readState(silencesOf(directory), silencesFormat)

/** Failure: `file-unwritable`. */
export async function writeSilences(directory: string, silences: readonly AlertSilence[]): Promise<Result<void>> {
  await mkdir(folderOf(directory), { recursive: true, mode: modeOf('stateFolder') }).catch(() => undefined)
  return writeState(silencesOf(directory), silencesFormat, silences)
}

const gatheredOf = (directory: string): string => path.join(folderOf(directory), 'gathered.json')

export const readGatheredAlerts = (directory: string): Promise<StateReading<readonly GatheredAlerts[]>> =>
  readState(gatheredOf(directory), gatheredFormat)

/** Failure: `file-unwritable`. */
export async function writeGatheredAlerts(directory: string, value: readonly GatheredAlerts[]): Promise<Result<void>> {
  await mkdir(folderOf(directory), { recursive: true, mode: modeOf('stateFolder') }).catch(() => undefined)
  return writeState(gatheredOf(directory), gatheredFormat, value)
}

const memoryOf = (clusterDirectory: string): string => path.join(clusterDirectory, 'alerts.json')

export const readAlertMemory = (clusterDirectory: string): Promise<StateReading<AlertMemory>> =>
  readState(memoryOf(clusterDirectory), memoryFormat)

/** Failure: `file-unwritable`. */
export async function writeAlertMemory(clusterDirectory: string, value: AlertMemory): Promise<Result<void>> {
  await mkdir(clusterDirectory, { recursive: true, mode: modeOf('stateFolder') }).catch(() => undefined)
  return writeState(memoryOf(clusterDirectory), memoryFormat, value)
}
