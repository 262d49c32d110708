// Runs files that failed once more, alone: one that passes then is unstable, and does not fail the whole run.
import type { Run } from './process.js'
import type { Task } from './tasks.js'

/** So often a file that failed is run again. */
const TIMES = 2
/** More files that failed than this are not run again: then the machine or the product is ill. */
export const UNSTABLE_LIMIT = 12
/** No file is run again after so long, so that a run with files that hang ends in time; milliseconds. */
const PATIENCE_MS = 20 * 60_000

/** A file that failed and passed in the same run. */
export interface Unstable {
  readonly name: string
  /** How often it failed before it passed. */
  readonly failed: number
  /** Text of its first failure. */
  readonly failure: string
}

export interface Settled {
  /** The last run of each task. */
  readonly runs: readonly Run[]
  readonly unstable: readonly Unstable[]
  /** Why files that failed were not run again. */
  readonly refusal?: string
}

/**
 * Only files that start programs are run again: what a unit or a proof shows depends on nothing but its code.
 * `run` runs one task while nothing else runs; `now` is a clock in milliseconds.
 */
export async function settle(
  first: readonly Run[],
  { run, now }: { readonly run: (task: Task) => Promise<Run>; readonly now: () => number },
): Promise<Settled> {
  const failed = first.filter(({ task, report }) => task.startsPrograms && report.failed > 0)
  if (failed.length > UNSTABLE_LIMIT) {
    const refusal = `${failed.length} files that start programs failed, more than ${UNSTABLE_LIMIT}: none was run again. The machine or the product is ill.`
    return { runs: first, unstable: [], refusal }
  }
  const begin = now()
  const last = new Map(first.map((each) => [each.task, each]))
  const unstable: Unstable[] = []
  for (const { task, report } of failed)
    for (let failures = 1; failures <= TIMES && now() - begin < PATIENCE_MS; failures += 1) {
      const again = await run(task)
      if (again.report.failed > 0) continue
      last.set(task, again)
      unstable.push({ name: task.name, failed: failures, failure: report.failures[0] ?? '' })
      break
    }
  return { runs: [...last.values()], unstable }
}
