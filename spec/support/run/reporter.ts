// Mocha's spec reporter, which also leaves a report for the process that started the run: counts, failures, and how long each
// spec file took. It loads with the specs, and sets what holds for all of them.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { config } from 'chai'
import fc from 'fast-check'
import Mocha from 'mocha'
import { packageRoot } from '../../../lib/base/package-root.js'
import { isSoak } from './soak.js'

// A failure shows the whole reply that was not the expected one.
config.truncateThreshold = 0

// A commit tries the same cases of each property in every run, so that what fails was changed; a soak draws new ones.
if (!isSoak) fc.configureGlobal({ seed: 20_261_126 })

export interface RunReport {
  readonly passed: number
  readonly failed: number
  /** Titles of what was skipped. */
  readonly skips: readonly string[]
  /** Title and error of each failure. */
  readonly failures: readonly string[]
  /** Milliseconds of each spec file with its hooks, by its path from the package's root. */
  readonly files: Readonly<Record<string, number>>
  /** Milliseconds of processor that this process and its children that ended have used. */
  readonly cpuMs: number
}

export default class ReportingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const target = (options.reporterOptions as { report?: string } | undefined)?.report
    const failures: string[] = []
    const skips: string[] = []
    const files: Record<string, number> = {}
    let begin = 0
    runner.on('suite', (suite) => {
      if (suite.parent?.root) begin = performance.now()
    })
    runner.on('suite end', (suite) => {
      if (!suite.parent?.root || suite.file === undefined) return
      const file = path.relative(packageRoot, suite.file)
      files[file] = (files[file] ?? 0) + performance.now() - begin
    })
    runner.on('fail', (test, error: Error) => failures.push(`${test.fullTitle()}\n${excerpt(error)}\n`))
    runner.on('pending', (test) => skips.push(test.fullTitle()))
    runner.once('end', () => {
      if (target === undefined) return
      const { passes: passed, failures: failed } = this.stats
      const report: RunReport = { passed, failed, skips, failures, files, cpuMs: cpuMs() }
      writeFileSync(target, JSON.stringify(report))
      setTimeout(listOpen, LATE_MS).unref()
    })
  }
}

/** proc(5): fields 14 to 17 of its line, in hundredths of a second; where there is none, without the children. */
function cpuMs(): number {
  try {
    const line = readFileSync('/proc/self/stat', 'utf8')
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + 10 * Number(field), 0)
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}

/** A process that is still there so long after its report will be killed; milliseconds. */
const LATE_MS = 20_000

/** What keeps the process from its end, for whom it is killed and counted as a failure. */
function listOpen(): void {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles(): readonly object[] }
  const details = handles.call(process).map((handle) => {
    const { spawnfile, localPort, remotePort } = handle as Partial<Record<string, unknown>>
    return `${handle.constructor.name} ${[spawnfile, localPort, remotePort].filter(Boolean).join(' ')}`
  })
  process.stdout.write(`Still open: ${[...process.getActiveResourcesInfo(), ...details].join(', ')}\n`)
}

const LINES = 12

/** The beginning and the end of what was thrown, indented, without the far ends of long lines. */
function excerpt(error: Error): string {
  const lines = (error.stack ?? error.message).split('\n')
  const shown = lines.length <= 2 * LINES ? lines : [...lines.slice(0, LINES), '…', ...lines.slice(-LINES)]
  return shown.map((line) => `  ${line.slice(0, 1_000)}`).join('\n')
}
