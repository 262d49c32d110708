// Reports for one receiver, gathered so that many clusters in trouble at once end in few messages. Pure.
import { keepFairly } from '../../access/bound/keep-fairly.js'
import { MINUTE, SECOND } from '../../base/time.js'
import type { Report } from './report.js'

/** What waits for one receiver, and when it was sent to. */
export interface Receiver {
  readonly waiting: readonly Report[]
  /** When the first of them began to wait. */
  readonly since: number
  /** When the first of them that is urgent began to wait; absent where none is. */
  readonly urgentSince?: number
  /** Times of the latest messages, oldest first. */
  readonly sent: readonly number[]
  /** Of these the times of urgent ones. */
  readonly urgent: readonly number[]
}

export interface StormLimits {
  /** Messages within WINDOW_MS. */
  readonly limit: number
  /** Between two messages above the limit, milliseconds. */
  readonly intervalMs: number
}

export const emptyReceiver: Receiver = { waiting: [], since: 0, sent: [], urgent: [] }

/** Clusters that have something to report at about the same time are in one message. */
const GATHER_MS = 1.5 * SECOND
const WINDOW_MS = 5 * MINUTE
/** Reports that wait for one receiver; beyond it the oldest of the cluster with most is dropped: what is open is in later ones. */
export const REPORTS_WAITING = 2_000

export const addReport = (receiver: Receiver, report: Report, now: number): Receiver => ({
  ...receiver,
  waiting: keepFairly([...receiver.waiting, report], REPORTS_WAITING, ({ cluster }) => cluster),
  since: receiver.waiting.length === 0 ? now : receiver.since,
  ...(isUrgent(report) ? { urgentSince: receiver.urgentSince ?? now } : {}),
})

/** A failover, another operation that failed, or an error that opened. Warnings and ends of conditions are not. */
const isUrgent = ({ ended, opened }: Report): boolean =>
  ended.length > 0 || opened.some(({ severity }) => severity === 'error')

type Message = readonly Report[]

interface Taken {
  readonly receiver: Receiver
  readonly messages: readonly Message[]
}

/**
 * The messages that are due now, each with the reports that it is made of. Urgent ones wait for urgent ones alone: whatever else was sent
 * does not count against their limit. All others wait for every message.
 */
export function takeMessages(receiver: Receiver, limits: StormLimits, now: number): Taken {
  const isRecent = (at: number) => now - at < WINDOW_MS
  const kept: Receiver =
    receiver.sent.every(isRecent) && receiver.urgent.every(isRecent)
      ? receiver
      : { ...receiver, sent: receiver.sent.filter(isRecent), urgent: receiver.urgent.filter(isRecent) }
  const urgent = takeUrgent(kept, limits, now)
  const others = takeAll(urgent.receiver, limits, now)
  return { receiver: others.receiver, messages: [...urgent.messages, ...others.messages] }
}

/** Within the limit each cluster with something urgent has a message; above it all that waits is in one. */
function takeUrgent(receiver: Receiver, limits: StormLimits, now: number): Taken {
  const { waiting, urgentSince, sent, urgent } = receiver
  if (urgentSince === undefined || now - urgentSince < GATHER_MS || isHeld(urgent, limits, now))
    return { receiver, messages: [] }
  const clusters = groupByCluster(waiting).filter((reports) => reports.some(isUrgent))
  const messages = urgent.length + clusters.length <= limits.limit ? clusters : [waiting]
  const left = waiting.filter((report) => !messages.some((reports) => reports.includes(report)))
  const { urgentSince: _, ...rest } = receiver
  const times = messages.map(() => now)
  return { receiver: { ...rest, waiting: left, sent: [...sent, ...times], urgent: [...urgent, ...times] }, messages }
}

function takeAll(receiver: Receiver, limits: StormLimits, now: number): Taken {
  const { waiting, since, sent, urgentSince } = receiver
  // What is urgent waits for others of its kind: with the next message all that waits is sent.
  if (waiting.length === 0 || urgentSince !== undefined || now - since < GATHER_MS || isHeld(sent, limits, now))
    return { receiver, messages: [] }
  const clusters = groupByCluster(waiting)
  const messages = sent.length + clusters.length <= limits.limit ? clusters : [waiting]
  return { receiver: { ...receiver, waiting: [], since: 0, sent: [...sent, ...messages.map(() => now)] }, messages }
}

/** As many were sent as may be, and the last of them too lately for another one. */
const isHeld = (sent: readonly number[], { limit, intervalMs }: StormLimits, now: number): boolean =>
  sent.length >= limit && now - (sent.at(-1) ?? Number.NEGATIVE_INFINITY) < intervalMs

const groupByCluster = (reports: Message): readonly Message[] => {
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
