// Results of named tests as JUnit XML, as servers of continuous integration read it. Pure.
import { isoTime, SECOND } from '../base/time.js'
import type { TrialEntry, TrialRun } from '../model/trial/trial.js'

/** Of each name the latest run that ended, in the order of their ends. */
export function latestRuns(ended: readonly TrialRun[]): readonly TrialRun[] {
  const latest = new Map<string, TrialRun>()
  for (const run of ended) {
    latest.delete(run.name)
    latest.set(run.name, run)
  }
  return [...latest.values()]
}

/** One suite, one case each; the timeline is the output of a case. */
export function renderJunit(cluster: string, runs: readonly TrialRun[]): string {
  const of = (result: string) => runs.filter((run) => run.result === result).length
  const attributes = attributesOf({
    ...{ name: cluster, tests: runs.length, failures: of('FAIL'), errors: 0, skipped: of('SKIP') },
    time: seconds(runs.reduce((sum, run) => sum + durationOf(run), 0)),
    ...(runs[0] ? { timestamp: isoTime(runs[0].startedAt) } : {}),
  })
  const cases = runs.map((run) => renderCase(cluster, run)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite${attributes}>\n${cases}</testsuite>\n</testsuites>\n`
}

function renderCase(cluster: string, run: TrialRun): string {
  const attributes = attributesOf({ name: run.name, classname: cluster, time: seconds(durationOf(run)) })
  const message = attributesOf({ message: run.message ?? '' })
  const verdict = { PASS: '', FAIL: `<failure${message}/>\n`, SKIP: `<skipped${message}/>\n` }[run.result ?? 'FAIL']
  return `<testcase${attributes}>\n${verdict}<system-out>${escaped(run.timeline.map(line).join('\n'))}</system-out>\n</testcase>\n`
}

const line = ({ startedAt, text, outcome, detail }: TrialEntry): string =>
  `${isoTime(startedAt)} ${text}: ${outcome ?? 'open'}${detail === undefined ? '' : ` (${detail})`}`

/** Milliseconds. */
const durationOf = ({ startedAt, endedAt = startedAt }: TrialRun): number => Math.max(0, endedAt - startedAt)

const seconds = (ms: number): string => (ms / SECOND).toFixed(3)

const attributesOf = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('')

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no sign for most control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const escaped = (text: string): string =>
  text.replace(unwritable, '\ufffd').replace(/[&<>"]/g, (sign) => signs[sign] ?? sign)
