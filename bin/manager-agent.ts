// The health agent on a database's host: `manager-agent [FILE]`, by default /etc/manager/agent.toml. Runs until a signal ends it.
import { startAgent } from '../lib/agent/agent.js'
import { versionText } from '../lib/base/package-root.js'
import { readAgentOptions } from './agent/options.js'

const CONFIGURATION_FAULT = 2

const [word = '/etc/manager/agent.toml'] = process.argv.slice(2)

if (word === '--version') process.stdout.write(`${versionText()}\n`)
else if (word.startsWith('-')) process.stdout.write('manager-agent [FILE], by default /etc/manager/agent.toml\n')
else await run(word)

async function run(file: string): Promise<void> {
  const log = (text: string) => void process.stdout.write(`${text}\n`)
  const options = await readAgentOptions(file)
  if (!options.ok) {
    process.stderr.write(`${options.failure.message}\n`)
    process.exitCode = CONFIGURATION_FAULT
    return
  }
  const started = await startAgent({ ...options.value, log })
  if (!started.ok) {
    process.stderr.write(`${started.failure.message}\n`)
    process.exitCode = 1
    return
  }
  log(`listening on port ${started.value.port}`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void started.value.close())
}
