// Reports for one receiver, gathered so that many clusters in trouble at once end in few messages. Pure.
import { keepFairly } from '../../access/bound/keep-fairly.js'
import { MINUTE, SECOND } from '../../base/time.js'
import type { Report } from './report.js'

/** What waits for one receiver, and when it was sent to. */
export interface Receiver {
  readonly waiting: readonly Report[]
  /** When the first of them began to wait. */
  readonly since: number
  /** Times of the latest messages, oldest first. */
  readonly sent: readonly number[]
}

export interface StormLimits {
  /** Messages within WINDOW_MS. */
  readonly limit: number
  /** Between two messages above the limit, milliseconds. */
  readonly intervalMs: number
}

export const emptyReceiver: Receiver = { waiting: [], since: 0, sent: [] }

/** Clusters that have something to report at about the same time are in one message. */
const GATHER_MS = 1.5 * SECOND
const WINDOW_MS = 5 * MINUTE
/** Reports that wait for one receiver; beyond it the oldest of the cluster with most is dropped: what is open is in later ones. */
export const REPORTS_WAITING = 2_000

export const addReport = (receiver: Receiver, report: Report, now: number): Receiver => ({
  ...receiver,
  waiting: keepFairly([...receiver.waiting, report], REPORTS_WAITING, ({ cluster }) => cluster),
  since: receiver.waiting.length === 0 ? now : receiver.since,
})

/** The messages that are due now, each with the reports that it is made of. */
export function takeMessages(
  receiver: Receiver,
  { limit, intervalMs }: StormLimits,
  now: number,
): { readonly receiver: Receiver; readonly messages: readonly (readonly Report[])[] } {
  const { waiting, since } = receiver
  const recent = receiver.sent.filter((at) => now - at < WINDOW_MS)
  const last = recent.at(-1) ?? Number.NEGATIVE_INFINITY
  const isOver = recent.length >= limit
  if (waiting.length === 0 || now - since < GATHER_MS || (isOver && now - last < intervalMs))
    return { receiver: recent.length === receiver.sent.length ? receiver : { ...receiver, sent: recent }, messages: [] }
  const clusters = groupByCluster(waiting)
  const messages = recent.length + clusters.length <= limit ? clusters : [waiting]
  return { receiver: { waiting: [], since: 0, sent: [...recent, ...messages.map(() => now)] }, messages }
}

const groupByCluster = (reports: readonly Report[]): readonly (readonly Report[])[] => {
  const groups = new Map<string, Report[]>()
  for (const report of reports) {
    // An escalation goes to others: it is a message of its own.
    const key = `${report.kind} ${report.cluster}`
    groups.set(key, [...(groups.get(key) ?? []), report])
  }
  return [...groups.values()]
}

/** Whether something waits to be sent. */
export const isWaiting = ({ waiting }: Receiver): boolean => waiting.length > 0

/** How long the manager waits at most before it checks again what is due. */
export const CHECK_MS = SECOND / 2
