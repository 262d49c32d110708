// What a run of files many times has shown, as text.
import type { Run } from './process.js'
import { secondsText } from './seconds-text.js'
import type { Task } from './tasks.js'

/** A line for each file, each distinct failure with its number, and the sums of runs. */
export function renderStress(tasks: readonly Task[], runs: readonly Run[]): string {
  const isFailed = ({ report }: Run) => report.failed > 0
  const lines = tasks.map((task) => {
    const own = runs.filter((each) => each.task === task)
    const failed = own.filter(isFailed).length
    const slowest = Math.max(...own.map(({ tookMs }) => tookMs))
    return `${task.name}: ${own.length - failed} passed, ${failed} failed, slowest ${secondsText(slowest)}`
  })
  const failed = runs.filter(isFailed)
  const distinct = new Map<string, readonly string[]>()
  for (const text of failed.flatMap(({ report }) => report.failures))
    distinct.set(likeness(text), [...(distinct.get(likeness(text)) ?? []), text])
  const failures = [...distinct.values()].map((same) => `${same.length} × ${same[0]}`)
  const sums = `${runs.length - failed.length} passed, ${failed.length} failed`
  return [...lines, ...(failures.length > 0 ? ['Failures:', ...failures] : []), sums].join('\n')
}

/** Title and message of a failure; numbers differ from run to run. */
const likeness = (failure: string): string => failure.split('\n', 2).join('\n').replace(/\d+/g, '#')
