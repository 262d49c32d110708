// The text of a message: what happened, what was lost, what is open, what to do. Pure; the words of all channels.
import { counted } from '../../base/counted.js'
import { printable } from '../../base/printable.js'
import { isoTime } from '../../base/time.js'
import type { AlertLevel, AlertMessage } from '../../model/alert.js'
import type { Report, ReportedCondition } from './report.js'

export interface RenderFacts {
  readonly id: string
  readonly now: number
  /** Where runbooks are linked to: the address of the API as users reach it; empty: no links. */
  readonly baseUrl: string
  /** Name of the manager's host. */
  readonly manager: string
}

/** Clusters, and conditions of one cluster, that a message lists; the others are counted. */
const LISTED = 40
const LONGEST_TITLE = 200

/** One cluster in full, several as a digest. */
export function renderMessage(reports: readonly Report[], facts: RenderFacts): AlertMessage {
  const merged = mergeReports(reports)
  const level: AlertLevel = merged.some(isAlert) ? 'ALERT' : 'ALERTOK'
  const [only] = merged
  const kind = merged.some((report) => report.kind === 'escalation') ? 'escalation' : 'alert'
  const word = kind === 'escalation' ? 'ALERT, not acknowledged' : level
  const [title, text] =
    only && merged.length === 1
      ? [titleOf(only), renderReport(only, facts)]
      : [digestTitle(merged), renderDigest(merged, facts)]
  return {
    ...{ id: facts.id, at: Math.round(facts.now), level, kind },
    clusters: merged.map(({ cluster }) => cluster),
    codes: [...new Set(merged.flatMap(({ codes }) => codes))],
    // Names and texts of servers are in it.
    title: printable(`[${word}] ${title}`).slice(0, LONGEST_TITLE),
    text: `${printable(text)}\n\nManager: ${facts.manager}${facts.baseUrl === '' ? '' : `, ${facts.baseUrl}`}\n`,
  }
}

const isAlert = ({ opened, ended, running }: Report): boolean =>
  opened.length > 0 || ended.length > 0 || running !== undefined

/** The reports of each cluster as one: what opened and closed again in between is in none of the lists. */
function mergeReports(reports: readonly Report[]): readonly Report[] {
  const byCluster = new Map<string, Report>()
  for (const report of reports) {
    const before = byCluster.get(report.cluster)
    byCluster.set(report.cluster, before ? merge(before, report) : report)
  }
  return [...byCluster.values()]
}

function merge(before: Report, after: Report): Report {
  const opened = new Set(before.opened.map(({ key }) => key))
  const closed = new Set(after.closed.map(({ key }) => key))
  return {
    ...after,
    opened: [...before.opened.filter(({ key }) => !closed.has(key)), ...after.opened],
    closed: [...before.closed, ...after.closed.filter(({ key }) => !opened.has(key))],
    ended: [...before.ended, ...after.ended],
    story: [...before.story, ...after.story],
    losses: [...before.losses, ...after.losses],
    codes: [...new Set([...before.codes, ...after.codes])],
  }
}

/** The manager's own findings are those of no cluster. */
const nameOf = (cluster: string): string => (cluster === '' ? 'manager' : cluster)

/** `shop: failover succeeded, db2 is the primary`. */
const titleOf = (report: Report): string => `${nameOf(report.cluster)}: ${summaryOf(report)}`

function summaryOf({ opened, closed, ended, running }: Report): string {
  const last = ended.at(-1)
  if (last) {
    const moved = last.succeeded && last.newPrimary !== undefined
    const roles = moved ? `, ${last.newPrimary} is the primary${was(last.oldPrimary)}` : ''
    return `${last.kind} ${last.succeeded ? 'succeeded' : 'failed'}${roles}`
  }
  const [first] = opened
  const more = opened.length > 1 ? ` (and ${opened.length - 1} more)` : ''
  if (running !== undefined) return `${running} is running${first ? `; ${shortOf(first)}${more}` : ''}`
  if (first) return `${shortOf(first)}${more}`
  const [over] = closed
  return closed.length === 1 && over ? `resolved: ${labelOf(over)}` : `${counted(closed.length, 'alert')} resolved`
}

const was = (old: string | undefined): string => (old === undefined ? '' : ` (was ${old})`)

const labelOf = ({ code, server }: Pick<ReportedCondition, 'code' | 'server'>): string =>
  server === undefined ? code : `${code} ${server}`

/** Where one line has to do. */
const shortOf = (condition: ReportedCondition): string => `${labelOf(condition)}: ${condition.sentence}`

const headOf = (condition: ReportedCondition): string => `${labelOf(condition)}: ${condition.text}`

/** Sections in the order of the questions: what happened, what was lost, what is wrong now, what to do. */
function renderReport(report: Report, facts: RenderFacts): string {
  const { opened, closed, ended, story, losses, running } = report
  const happened = [
    ...story.map(({ at, text }) => `${clock(at)}  ${text}`),
    ...(running === undefined ? [] : [`The ${running} is still running.`]),
  ]
  const lost = ended.length === 0 ? [] : losses.length > 0 ? losses : ['Not known: the operation did not report it.']
  return [
    ...section('What happened', happened),
    ...section('What was lost', lost),
    ...section(report.kind === 'escalation' ? 'Open and not acknowledged' : 'Open now', listed(opened, openLine)),
    ...section(
      'Resolved',
      listed(closed, ({ since, ...each }) => `${labelOf(each)} (reported ${clock(since)})`),
    ),
    ...section('What to do', adviceOf(report, facts)),
  ].join('\n')
}

function openLine(condition: ReportedCondition): string {
  const { times, since } = condition
  return `${headOf(condition)} (since ${clock(since)}${times > 1 ? `, opened ${times} times` : ''})`
}

function adviceOf(report: Report, { baseUrl }: RenderFacts): readonly string[] {
  const hints = new Map(report.opened.map(({ code, hint }) => [code, hint]))
  if (!isAlert(report)) return []
  const cluster = report.cluster === '' ? '' : ` --cluster ${report.cluster}`
  return [
    ...[...hints]
      .slice(0, LISTED)
      .flatMap(([code, hint]) => [
        ...(hint === '' ? [] : [`${code}: ${hint}`]),
        ...(linked(baseUrl, code) === '' ? [] : [`${' '.repeat(code.length)} ${linked(baseUrl, code)}`]),
      ]),
    ...(hints.size === 0 ? ['No action is required.'] : []),
    ...(report.cluster === '' ? [] : [`State and next step: manager-cli${cluster} explain`]),
    ...(hints.size === 0 ? [] : [`To stop reminders: manager-cli${cluster} alert acknowledge "who and why"`]),
  ]
}

/** The page about a condition: of its finding, or of the finding that a state of a server comes with. */
const pageOf = (code: string): string | undefined => (/^[A-Z]+\d+$/.test(code) ? code : pages[code])

const pages: Readonly<Record<string, string>> = { Failed: 'WARN0171' }

/** The page of a finding. */
export const runbookOf = (baseUrl: string, code: string): string =>
  `${baseUrl.replace(/\/+$/, '')}/api/runbooks/${code}`

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), '']

function listed<T>(items: readonly T[], line: (item: T) => string): readonly string[] {
  const more = items.length - LISTED
  return [...items.slice(0, LISTED).map(line), ...(more > 0 ? [`and ${more} more`] : [])]
}

function digestTitle(reports: readonly Report[]): string {
  const failovers = reports.flatMap(({ ended }) => ended)
  const failed = failovers.filter(({ succeeded }) => !succeeded).length
  const opened = reports.reduce((sum, report) => sum + report.opened.length, 0)
  const closed = reports.reduce((sum, report) => sum + report.closed.length, 0)
  const parts = [
    ...(failovers.length > failed ? [counted(failovers.length - failed, 'failover')] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(opened > 0 ? [`${counted(opened, 'alert')} open`] : []),
    ...(closed > 0 ? [`${closed} resolved`] : []),
  ]
  return `${counted(reports.length, 'cluster')}: ${parts.join(', ')}`
}

/** The clusters that still have trouble first. */
function renderDigest(reports: readonly Report[], { baseUrl }: RenderFacts): string {
  const order = [...reports].sort((left, right) => right.opened.length - left.opened.length)
  const line = (report: Report): string => {
    const lost = report.losses.filter((text) => !text.startsWith('No acknowledged'))
    return `${titleOf(report)}${lost.length > 0 ? ` — ${lost.join(' ')}` : ''}`
  }
  const codes = new Map<string, number>()
  for (const { opened } of reports) for (const { code } of opened) codes.set(code, (codes.get(code) ?? 0) + 1)
  const common = [...codes].sort(([, left], [, right]) => right - left).slice(0, 5)
  return [
    ...section('What happened', listed(order, line)),
    ...section(
      'Most frequent',
      common.map(([code, times]) => `${code}: ${times} times${linked(baseUrl, code)}`),
    ),
    ...section('What to do', [
      'Many clusters at once: check what they share first (rack, network, storage, host of virtual machines).',
      'Overview: manager-cli global alerts',
    ]),
  ].join('\n')
}

/** The address of its page after a blank; nothing without one. */
function linked(baseUrl: string, code: string): string {
  const page = pageOf(code)
  return baseUrl === '' || page === undefined ? '' : ` ${runbookOf(baseUrl, page)}`
}

/** `07:40:12 UTC`. */
const clock = (at: number): string => `${isoTime(at).slice(11, 19)} UTC`

/** A message that a user asked for, to see whether it arrives. */
export const renderTest = (
  cluster: string,
  user: string,
  { id, now, baseUrl, manager }: RenderFacts,
): AlertMessage => ({
  ...{ id, at: Math.round(now), level: 'ALERT', kind: 'test', clusters: [cluster], codes: [] },
  title: `[TEST] ${cluster}: test of alerts`,
  text: `${user} asked for this message to test where the alerts of ${cluster} go. No action is required.\n\nManager: ${manager}${baseUrl === '' ? '' : `, ${baseUrl}`}\n`,
})
