// What a run ends with: the slowest files, what was skipped, failed or unstable, and one line with the sums.
import { counted } from '../../../lib/base/counted.js'
import { type Settled, UNSTABLE_LIMIT } from './again.js'
import { unexpectedSkips } from './expected-skips.js'
import { secondsText } from './seconds-text.js'
import { nameOf } from './specs.js'
import type { Task } from './tasks.js'
import { muchLonger, type UsualTable } from './usual.js'

const SLOWEST = 15

interface Ended {
  /** All that was to run. */
  readonly tasks: readonly Task[]
  readonly settled: Settled
  /** Names of checks that failed before the specs ran. */
  readonly checks: readonly string[]
  readonly usual: UsualTable
  readonly tookMs: number
  /** Every spec ran: what was unstable is counted. */
  readonly isWhole: boolean
  /** A skip that nothing explains is a failure. */
  readonly isStrict: boolean
}

export interface Closing {
  readonly text: string
  readonly failed: number
}

export function renderClosing({ tasks, settled, checks, usual, tookMs, isWhole, isStrict }: Ended): Closing {
  const { runs, unstable, refusal } = settled
  const reports = runs.map(({ report }) => report)
  const times: Readonly<Record<string, number>> = Object.assign({}, ...reports.map(({ files }) => files))
  const slowest = Object.entries(times)
    .sort(([, one], [, other]) => other - one)
    .slice(0, SLOWEST)
    .map(([file, ms]) => `  ${secondsText(ms)}  ${nameOf(file)}`)
  const skips = reports.flatMap((report) => report.skips)
  const unexpected = unexpectedSkips(skips)
  const unexplained = isStrict ? unexpected.map((title) => `${title}\n  was skipped, which is not expected here\n`) : []
  const ran = new Set(runs.map(({ task }) => task))
  const absent = tasks.filter((task) => !ran.has(task)).map(({ name }) => `${name}\n  did not run\n`)
  const failures = [
    ...checks.map((name) => `${name}\n`),
    ...absent,
    ...reports.flatMap((each) => each.failures),
    ...unexplained,
  ]
  const sum = (name: 'passed' | 'failed') => reports.reduce((total, report) => total + report[name], 0)
  const failed = sum('failed') + checks.length + absent.length + unexplained.length
  const lines = [
    ...(runs.length > 1 ? section('Slowest files:', slowest) : []),
    ...section('Much slower than usual:', muchLonger(times, usual)),
    ...section(
      'Skipped:',
      skips.map((title) => `  ${title}${unexpected.includes(title) ? ' (not expected)' : ''}`),
    ),
    ...section('Failed:', failures),
    ...(refusal === undefined ? [] : [refusal]),
    ...section(
      'Unstable:',
      unstable.map(
        (each) => `${each.name}: failed ${counted(each.failed, 'time')}, then passed alone\n${each.failure}`,
      ),
    ),
    `Took ${secondsText(tookMs)}${isWhole ? `, ${counted(unstable.length, 'unstable file')} of at most ${UNSTABLE_LIMIT}` : ''}`,
    `${sum('passed')} passed, ${failed} failed, ${skips.length} skipped`,
  ]
  return { text: lines.join('\n'), failed }
}

const section = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length > 0 ? [title, ...texts] : []
