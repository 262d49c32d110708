// Ids of plans: a digest over what matters of a plan, so that they need no memory and hold over restarts. Pure.
import { createHash } from 'node:crypto'
import type { PlanChange, Preview, PreviewStep } from './operation/preview.js'

/** What a plan is asked for: two requests that differ in it are two plans. */
export interface PlanRequest {
  readonly kind: string
  readonly cluster: string | null
  /** The action and its inputs. */
  readonly wish: unknown
}

/** What of a plan is compared, each part by its own digest, so that a refusal names the part that changed. */
const parts = ['outcome', 'steps', 'risks', 'changes'] as const

/** `switchover/shop/5f1a2b.9d8e7c.0b4f2d.77aa10.c3d2e1`: the digests of the request and of each part. */
export const planId = ({ kind, cluster, wish }: PlanRequest, preview: Preview): string =>
  `${kind}/${cluster ?? 'manager'}/${digest(wish)}.${markOf(preview)}`

/** The part of an id that depends on the situation, not on the request. */
export const markOf = (preview: Preview): string => parts.map((part) => digest(essence[part](preview))).join('.')

/** That part of an id, as given; undefined where it has none. */
export const markIn = (id: string | undefined): string | undefined => {
  const [, mark] = /\.([\w-]+\.[\w-]+\.[\w-]+\.[\w-]+)$/.exec(id ?? '') ?? []
  return mark
}

type Part = (typeof parts)[number]

const essence: Readonly<Record<Part, (preview: Preview) => unknown>> = {
  // What is not checked yet is the same plan when the check has gone well.
  outcome: ({ possible, unchecked, refusal = '', oldPrimary = '', newPrimary = '', loss }) => [
    ...(unchecked === undefined ? [possible, steady(refusal)] : [true, '']),
    ...[oldPrimary, newPrimary, loss?.kind ?? 'none'],
  ],
  steps: ({ steps }) => steps.filter(changesSomething).map(({ text, blocksWrites }) => [text, blocksWrites]),
  risks: ({ risks }) => risks.map(steady),
  changes: ({ changes = [], follows = [] }) => [changes, follows],
}

/** A report names who asks: another person may confirm what one has read. */
const changesSomething = ({ command }: PreviewStep): boolean => command?.type !== 'report'

/** Figures of the moment, such as a lag or a count, change all the time: that there is one matters. */
const steady = (text: string): string => text.replace(/(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-])/g, '#')

/** What of the present plan differs from the one that was confirmed, in words. */
export function changesSince(confirmed: string, present: { readonly id: string; readonly preview: Preview }): string {
  const given = confirmed.split('/').pop()?.split('.') ?? []
  const now = present.id.split('/').pop()?.split('.') ?? []
  const head = (id: string) => id.slice(0, Math.max(0, id.lastIndexOf('/')))
  const isOther = given.length !== now.length || head(confirmed) !== head(present.id) || given[0] !== now[0]
  if (isOther) return `${confirmed} is the plan of another request`
  const changed = parts.filter((_, index) => given[index + 1] !== now[index + 1])
  return changed.map((part) => described[part](present.preview)).join('; ')
}

const described: Readonly<Record<Part, (preview: Preview) => string>> = {
  outcome: ({ possible, refusal, newPrimary, loss }) =>
    possible
      ? `it is possible by now${newPrimary === undefined ? '' : `, with ${newPrimary} as the new primary`}${loss === undefined ? '' : `, and loses: ${loss.text}`}`
      : `it is refused by now: ${refusal ?? 'no reason given'}`,
  steps: ({ steps }) =>
    steps.length === 0 ? 'it has no steps by now' : `its steps are by now: ${list(steps.map(({ text }) => text))}`,
  risks: ({ risks }) => (risks.length === 0 ? 'it has no risks by now' : `its risks are by now: ${list(risks)}`),
  changes: ({ changes = [], follows = [] }) =>
    changes.length + follows.length === 0
      ? 'it changes no value by now'
      : `it changes by now: ${list([...changes.map(changeText), ...follows])}`,
}

/** `failover-limit: 5 → 3`. */
export const changeText = ({ what, before, after }: PlanChange): string =>
  `${what}: ${before ?? 'none'} → ${after ?? 'none'}`

/** More are counted. */
const MOST = 8

function list(texts: readonly string[]): string {
  const rest = texts.length - MOST
  return [...texts.slice(0, MOST), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

const digest = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 10)

/** The same fields in another order are the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, sorted(field)]))
}
