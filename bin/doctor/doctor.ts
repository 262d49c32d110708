// `manager doctor`: checks the machine and reaches every server as the manager would, and says what to do. It changes nothing.
import { type Configuration, type LoadInput, loadConfiguration, renderFault } from '../../lib/settings/index.js'
import { reasonOf } from '../../lib/store/kit/atomic-write.js'
import { takeOutput } from '../daemon/check.js'
import { checkRepository } from './git.js'
import { checkDirectory, checkDisk, checkKey, checkLimits, checkPorts, checkTime } from './machine.js'
import { checkServers } from './servers.js'
import { checkTls } from './tls-files.js'
import { type CheckName, renderVerdicts, type Verdict } from './verdict.js'

export interface Examined {
  /** 0 without problems, 1 with some, 2 for a configuration with errors or a wrong command line. */
  readonly status: 0 | 1 | 2
  readonly text: string
}

/** In the order in which they are printed; the name is that of a check which cannot be made. */
const checks: readonly (readonly [CheckName, (configuration: Configuration) => Promise<readonly Verdict[]>])[] = [
  ['directory', ({ server }) => checkDirectory(server.settings)],
  ['key', ({ server }) => checkKey(server.settings)],
  ['disk', ({ server }) => checkDisk(server.settings)],
  ['limits', checkLimits],
  ['time', checkTime],
  ['ports', ({ server }) => checkPorts(server.settings)],
  ['tls', checkTls],
  ['git', ({ server }) => checkRepository(server.settings)],
  ['server', checkServers],
]

/** `--output json` gives the verdicts as JSON; all other flags are settings. */
export async function runDoctor(input: LoadInput): Promise<Examined> {
  const { format, flags } = takeOutput(input.flags ?? [])
  if (format !== 'text' && format !== 'json') return { status: 2, text: `--output ${format}: allowed: text, json\n` }
  const loaded = await loadConfiguration({ ...input, flags })
  const read = [...(loaded.ok ? [] : loaded.faults), ...loaded.warnings].map((fault): Verdict => {
    const state = !loaded.ok && loaded.faults.includes(fault) ? 'problem' : 'warning'
    return { check: 'configuration', subject: input.file ?? 'flags', state, fact: renderFault(fault) }
  })
  const verdicts = [...read, ...(loaded.ok ? await examine(loaded.configuration) : [])]
  const text = format === 'json' ? `${JSON.stringify(verdicts, null, 2)}\n` : renderVerdicts(verdicts)
  const isHealthy = verdicts.every(({ state }) => state !== 'problem')
  return { status: !loaded.ok ? 2 : isHealthy ? 0 : 1, text }
}

async function examine(configuration: Configuration): Promise<readonly Verdict[]> {
  const found: Verdict[] = []
  for (const [check, run] of checks) {
    const verdicts = await run(configuration).catch((error: unknown): readonly Verdict[] => [
      {
        check,
        subject: '',
        state: 'problem',
        fact: `the check failed: ${reasonOf(error)}`,
        remedy: 'Run the doctor as the user of the manager.',
      },
    ])
    found.push(...verdicts)
  }
  return found
}
