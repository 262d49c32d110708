// What changed in the variables and plug-ins of one server since an earlier reading, as a unified diff.
import type { Named } from '../../model/server/named.js'
import type { SlowReading } from '../../model/server/reading.js'

/** `name=value` of everything that is compared, in order. */
export type Listing = readonly string[]

/** Variables of a reading as lines; what replication, the manager or time itself changes is left out, secrets are masked. */
export const listVariables = ({ names, values }: Named): Listing =>
  inOrder(
    names
      .map((name, index) => [name, values[index] ?? ''] as const)
      .filter(([name]) => !isMoving(name))
      .map(([name, value]) => `${name}=${secretName.test(name) && value !== '' ? '*:*' : value}`),
  )

export const listPlugins = (plugins: SlowReading['plugins']): Listing =>
  inOrder(plugins.map(({ name, status }) => `plugin ${name}=${status}`))

/** What replication, its position, the role of the server and the time change on their own; the manager sets some of it. */
const moving: readonly RegExp[] = [
  /^(gtid_\w+|last_gtid|timestamp|rand_seed\d|insert_id|last_insert_id|identity|pseudo_\w+|statement_id)$/,
  /^(error_count|warning_count|in_transaction|in_predicate_\w+|innodb_buffer_pool_load_\w+|innodb_buffer_pool_dump_now)$/,
  /^(read_only|super_read_only|event_scheduler|rpl_semi_sync_\w+_enabled|rpl_semi_sync_\w+_timeout|wsrep_\w+_(seqno|uuid))$/,
]

const isMoving = (name: string): boolean => moving.some((pattern) => pattern.test(name))

const secretName = /password|secret|token|auth$|_key$|passphrase/

export interface Change {
  readonly line: string
  /** As in a unified diff. */
  readonly sign: '-' | '+'
  /** Line in the earlier and in the later listing, from 1: where it is, or would be. */
  readonly at: readonly [before: number, after: number]
}

/** Both listings are in the order of their names: what is in one only, a changed value as its old line and its new one. */
export function compareListings(before: Listing, after: Listing): readonly Change[] {
  const changes: Change[] = []
  let [left, right] = [0, 0]
  while (left < before.length || right < after.length) {
    const [old, now] = [before[left], after[right]]
    const [oldName, newName] = [nameOf(old), nameOf(now)]
    const takesOld = oldName !== undefined && (newName === undefined || oldName <= newName)
    const takesNew = newName !== undefined && (oldName === undefined || newName <= oldName)
    if (takesOld && old !== now) changes.push({ line: old ?? '', sign: '-', at: [left + 1, right] })
    if (takesOld) left += 1
    if (takesNew && old !== now) changes.push({ line: now ?? '', sign: '+', at: [left, right + 1] })
    if (takesNew) right += 1
  }
  return changes
}

const nameOf = (line: string | undefined): string | undefined => line?.slice(0, line.indexOf('='))

/** By name, in the order of code units. */
const inOrder = (lines: readonly string[]): Listing =>
  lines.toSorted((left, right) => ((nameOf(left) ?? '') < (nameOf(right) ?? '') ? -1 : 1))

/** A diff without context, as `diff -U0` prints it. */
export const renderDiff = (name: string, changes: readonly Change[]): string =>
  [
    `--- ${name}`,
    `+++ ${name}`,
    ...changes.flatMap(({ line, sign, at: [before, after] }) => [
      `@@ -${before}${sign === '+' ? ',0' : ''} +${after}${sign === '-' ? ',0' : ''} @@`,
      `${sign}${line}`,
    ]),
    '',
  ].join('\n')

/** `max_connections 100 → 200, plugin DISKS added`: one line for the log. */
export function summarise(changes: readonly Change[], most: number): string {
  const sides = new Map<string, { before?: string; after?: string }>()
  for (const { line, sign } of changes) {
    const [name = '', ...rest] = line.split('=')
    const value = rest.join('=')
    sides.set(name, { ...sides.get(name), ...(sign === '-' ? { before: value } : { after: value }) })
  }
  const named = [...sides].map(([name, { before, after }]) => {
    if (before === undefined) return `${name} (new) ${shorten(after ?? '')}`
    return after === undefined ? `${name} removed` : `${name} ${shorten(before)} → ${shorten(after)}`
  })
  const more = named.length > most ? ` and ${named.length - most} more` : ''
  return `${named.slice(0, most).join(', ')}${more}`
}

const LONGEST_VALUE = 60
const shorten = (value: string): string => {
  if (value === '') return "''"
  return value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value
}
