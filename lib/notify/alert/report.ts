// When a cluster has something to report, and what: the difference between what is open and what receivers know. Pure.
import { MINUTE, SECOND } from '../../base/time.js'
import type { AlertCondition, AlertKind } from '../../model/alert.js'
import type { Book, EndedOperation, Notified, OpenCondition, StoryLine } from './book.js'

/** One condition of a report. */
export interface ReportedCondition extends AlertCondition {
  /** When it opened, or, of one that is over, when receivers were notified of it. */
  readonly since: number
  /** How often it opened since receivers were last notified of it. */
  readonly times: number
}

/** What one cluster has to report. */
export interface Report {
  readonly cluster: string
  readonly at: number
  readonly kind: AlertKind
  readonly opened: readonly ReportedCondition[]
  readonly closed: readonly Pick<ReportedCondition, 'key' | 'code' | 'server' | 'since'>[]
  readonly ended: readonly EndedOperation[]
  /** The operation that is still running. */
  readonly running?: string
  readonly story: readonly StoryLine[]
  readonly losses: readonly string[]
  readonly codes: readonly string[]
}

export interface Circumstances {
  readonly now: number
  /** Whether the condition is not to be sent now. */
  readonly isSilenced: (condition: Pick<AlertCondition, 'code' | 'server'>) => boolean
  /** 0: never. */
  readonly escalationMs: number
}

export interface Judged {
  readonly book: Book
  readonly report?: Report
  readonly escalation?: Report
}

/** A report waits until nothing has changed for so long, at most LONGEST_MS. */
const QUIET_MS = 3 * SECOND
const LONGEST_MS = 5 * SECOND
/** An operation is reported as running when it has not ended after so long. */
const LONG_OPERATION_MS = 30 * SECOND
/** A condition that opens and closes again and again is reported twice within this time. */
const REPEAT_MS = 5 * MINUTE
const REPEATS = 2
/** What receivers know of closed conditions is forgotten after that. */
const FORGET_MS = 2 * REPEAT_MS
/** What happened long before an alert is no part of it. */
const STORY_MS = 2 * MINUTE

/** What is to be sent now, and the book as if it had been sent. */
export function judgeBook(book: Book, circumstances: Circumstances): Judged {
  const escalated = escalate(book, circumstances)
  const { now } = circumstances
  if (isHeld(book, now)) return escalated
  const calm = escalated.book
  const opened = openedIn(calm, circumstances)
  const { reported, silent } = closedIn(calm, circumstances)
  const ended = calm.ended.filter(() => !circumstances.isSilenced({ code: 'operation' }))
  const running = calm.operation && now - calm.operation.since >= LONG_OPERATION_MS ? calm.operation.kind : undefined
  if (opened.length + reported.length + ended.length === 0)
    return { ...escalated, book: silent.length > 0 ? settle(calm, silent, now) : cleared(calm, now) }
  const report: Report = {
    ...{ cluster: calm.cluster, at: now, kind: 'alert', opened, ended },
    closed: reported.map(([key, { at }]) => ({ ...partsOf(key), key, since: at })),
    ...(running === undefined ? {} : { running }),
    story: opened.length + ended.length === 0 ? [] : calm.story.filter(({ at }) => now - at < STORY_MS),
    losses: calm.losses,
    codes: [
      ...new Set([...calm.raised, ...opened.map(({ code }) => code), ...reported.map(([key]) => partsOf(key).code)]),
    ],
  }
  const noted = note(settle(calm, silent, now), { opened, closed: reported }, now)
  return { ...escalated, book: cleared({ ...noted, story: [] }, now), report }
}

function isHeld({ operation, changedAt, firstChangeAt }: Book, now: number): boolean {
  if (operation && now - operation.since < LONG_OPERATION_MS) return true
  return now - changedAt < QUIET_MS && now - (firstChangeAt ?? changedAt) < LONGEST_MS
}

function openedIn(book: Book, { now, isSilenced }: Circumstances): readonly ReportedCondition[] {
  return [...book.conditions.values()].flatMap((condition) => {
    const known = book.notified[condition.key]
    if (known?.open || isSilenced(condition) || isTooSoon(known, now)) return []
    return [{ ...condition, times: Math.max(1, book.reopened[condition.key] ?? 1) }]
  })
}

/** The end of what receivers know is sent at once, unless it is silenced: then nobody is notified of it. */
function closedIn(book: Book, { now, isSilenced }: Circumstances) {
  const over =
    now < book.trustedAt
      ? []
      : Object.entries(book.notified).filter(([key, { open }]) => open && !book.conditions.has(key))
  return {
    reported: over.filter(([key]) => !isSilenced(partsOf(key))),
    silent: over.filter(([key]) => isSilenced(partsOf(key))),
  }
}

const isTooSoon = (known: Notified | undefined, now: number): boolean => recentOpens(known, now).length >= REPEATS

const recentOpens = (known: Notified | undefined, now: number): readonly number[] =>
  (known?.opens ?? []).filter((at) => now - at < REPEAT_MS)

function note(
  book: Book,
  { opened, closed }: { opened: readonly ReportedCondition[]; closed: readonly (readonly [string, Notified])[] },
  now: number,
): Book {
  const keys = new Set(opened.map(({ key }) => key))
  return {
    ...book,
    notified: {
      ...book.notified,
      ...Object.fromEntries(
        opened.map(({ key }) => [key, { open: true, at: now, opens: [...recentOpens(book.notified[key], now), now] }]),
      ),
      ...Object.fromEntries(closed.map(([key, { opens = [] }]) => [key, { open: false, at: now, opens }])),
    },
    reopened: Object.fromEntries(Object.entries(book.reopened).filter(([key]) => !keys.has(key))),
  }
}

/** Closed without a word. */
const settle = (book: Book, closed: readonly (readonly [string, Notified])[], now: number): Book =>
  closed.length === 0
    ? book
    : {
        ...book,
        notified: {
          ...book.notified,
          ...Object.fromEntries(closed.map(([key, { opens = [] }]) => [key, { open: false, at: now, opens }])),
        },
      }

/** Without what the message contains, and without what is no longer needed. */
function cleared(book: Book, now: number): Book {
  const { firstChangeAt: _, ...rest } = book
  const old = Object.entries(book.notified).filter(([, { open, at }]) => !open && now - at > FORGET_MS)
  const isUsed = book.raised.length + book.losses.length + book.ended.length > 0 || book.firstChangeAt !== undefined
  if (!isUsed && old.length === 0) return book
  const gone = new Set(old.map(([key]) => key))
  const kept = <T>(record: Readonly<Record<string, T>>) =>
    gone.size === 0 ? record : Object.fromEntries(Object.entries(record).filter(([key]) => !gone.has(key)))
  return {
    ...rest,
    ...{ raised: [], losses: [], ended: [] },
    notified: kept(book.notified),
    reopened: kept(book.reopened),
  }
}

function escalate(book: Book, { now, isSilenced, escalationMs }: Circumstances): Judged {
  if (escalationMs === 0) return { book }
  const due = [...book.conditions.values()].filter((condition) => isDue(book, condition, now - escalationMs))
  const late = due.filter((condition) => !isSilenced(condition))
  if (late.length === 0) return { book }
  const marks = late.map(({ key }) => [key, { ...book.notified[key], escalatedAt: now }] as const)
  return {
    book: { ...book, notified: { ...book.notified, ...(Object.fromEntries(marks) as Book['notified']) } },
    escalation: {
      ...{ cluster: book.cluster, at: now, kind: 'escalation', ended: [], closed: [], story: [], losses: [] },
      opened: late.map((condition) => ({ ...condition, times: 1 })),
      codes: [...new Set(late.map(({ code }) => code))],
    },
  }
}

const isDue = ({ notified, acknowledged }: Book, { key, severity }: OpenCondition, before: number): boolean => {
  const known = notified[key]
  return (
    severity === 'error' &&
    known?.open === true &&
    known.escalatedAt === undefined &&
    known.at <= before &&
    acknowledged[key] === undefined
  )
}

export function partsOf(key: string): { readonly code: string; readonly server?: string } {
  const at = key.indexOf('@')
  return at < 0 ? { code: key } : { code: key.slice(0, at), server: key.slice(at + 1) }
}
