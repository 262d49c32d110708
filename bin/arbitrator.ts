// The arbitrator of managers at several sites: `arbitrator [FILE]`, by default /etc/manager/arbitrator.toml. Runs until a signal ends it.
import { versionText } from '../lib/base/package-root.js'
import { Arbitrator, listenArbitrator } from '../lib/lease/index.js'
import { readArbitratorOptions } from './arbitration/options.js'

const CONFIGURATION_FAULT = 2

const [word = '/etc/manager/arbitrator.toml'] = process.argv.slice(2)

if (word === '--version') process.stdout.write(`${versionText()}\n`)
else if (word.startsWith('-')) process.stdout.write('arbitrator [FILE], by default /etc/manager/arbitrator.toml\n')
else await run(word)

async function run(file: string): Promise<void> {
  const log = (text: string) => void process.stdout.write(`${text}\n`)
  const end = (text: string, status: number) => {
    process.stderr.write(`${text}\n`)
    process.exitCode = status
  }
  const options = await readArbitratorOptions(file)
  if (!options.ok) return end(options.failure.message, CONFIGURATION_FAULT)
  const { listen, secrets, leaseMs, stateFile } = options.value
  const arbitrator = await Arbitrator.open({ file: stateFile, leaseMs })
  if (!arbitrator.ok) return end(arbitrator.failure.message, CONFIGURATION_FAULT)
  const listening = await listenArbitrator({ ...listen, secrets, arbitrator: arbitrator.value, log })
  if (!listening.ok) return end(listening.failure.message, 1)
  log(`listening on port ${listening.value.port}`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void listening.value.close())
}
