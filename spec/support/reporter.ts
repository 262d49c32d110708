// Mocha's spec reporter, which also writes the counts (`passed failed skipped`) to a file for the closing line.
import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    const file = (options.reporterOptions as { counts?: string } | undefined)?.counts
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats
      if (file !== undefined) writeFileSync(file, `${passes} ${failures} ${pending}\n`)
    })
  }
}
