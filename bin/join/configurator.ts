// `manager configurator check`: reads the rule sets and names every fault with file and line.
import { readRules } from '../../actors/archive/read-rules.js'
import { sharePath } from '../../lib/base/package-root.js'

/** The exit status: 0 when the rules are sound. */
export async function checkConfigurator([
  verb,
  folder = sharePath('rules', 'database'),
]: readonly string[]): Promise<number> {
  if (verb !== 'check') {
    process.stderr.write('Usage: manager configurator check [FOLDER]\n')
    return 2
  }
  const rules = await readRules(folder)
  if (!rules.ok) {
    process.stderr.write(`${rules.failure.message}\n`)
    return 1
  }
  process.stdout.write(`${rules.value.set.rules.length} rules in ${folder} are sound\n`)
  return 0
}
