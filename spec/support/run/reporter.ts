// Mocha's spec reporter, which also writes two files for the end of a run of every test: the counts
// (`passed failed skipped`), and beside them in `.failures` what failed, or nothing.
import { writeFileSync } from 'node:fs'
import { config } from 'chai'
import Mocha from 'mocha'

// A failure shows the whole reply that was not the expected one.
config.truncateThreshold = 0

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const file = (options.reporterOptions as { counts?: string } | undefined)?.counts
    const told: string[] = []
    runner.on('fail', (test, error: Error) => told.push(`${test.fullTitle()}\n${excerpt(error)}\n`))
    runner.once('end', () => {
      if (file === undefined) return
      const { passes, failures, pending } = this.stats
      writeFileSync(file, `${passes} ${failures} ${pending}\n`)
      writeFileSync(`${file}.failures`, told.join('\n'))
    })
  }
}

const LINES = 12

/** The beginning and the end of what was thrown, indented, without the far ends of long lines. */
function excerpt(error: Error): string {
  const lines = (error.stack ?? error.message).split('\n')
  const shown = lines.length <= 2 * LINES ? lines : [...lines.slice(0, LINES), '…', ...lines.slice(-LINES)]
  return shown.map((line) => `  ${line.slice(0, 240)}`).join('\n')
}
