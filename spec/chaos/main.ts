// `npm run chaos`: random faults against real clusters under a real manager, until the time is over or something broke.
//
//   npm run chaos -- [--seed N] [--runs N] [--minutes N] [--episodes N] [--steps N] [--only 'fault,fault'] [--go-on] [--account]
//
// A seed alone decides what is done and when; the next run takes the next seed. The exit status is 1 when an invariant
// was broken, 2 for a wrong command line. `--account` prints what was done in each run.
import { parseArgs } from 'node:util'
import { MINUTE, SECOND } from '../../lib/base/time.js'
import { type FaultName, faults } from './faults.js'
import { run } from './run.js'
import { writeScript } from './script.js'

const options = {
  seed: { type: 'string' },
  runs: { type: 'string' },
  minutes: { type: 'string', default: '5' },
  episodes: { type: 'string', default: '4' },
  steps: { type: 'string', default: '4' },
  only: { type: 'string' },
  'go-on': { type: 'boolean', default: false },
  account: { type: 'boolean', default: false },
} as const

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function complain(text: string): never {
  process.stderr.write(`${text}\nfaults: ${Object.keys(faults).join(', ')}\n`)
  process.exit(2)
}

function readCommandLine() {
  try {
    const { values } = parseArgs({ options })
    const number = (name: string, text: string): number => {
      if (/^\d+$/.test(text)) return Number(text)
      return complain(`--${name} is a number, not ${text}`)
    }
    const only = values.only?.split(',').map((name) => name.trim())
    const unknown = only?.filter((name) => !(name in faults)) ?? []
    if (unknown.length > 0) complain(`no fault of this name: ${unknown.join(', ')}`)
    return {
      seed: values.seed === undefined ? Math.floor(Date.now() / SECOND) % 1_000_000 : number('seed', values.seed),
      runs: values.runs === undefined ? Number.POSITIVE_INFINITY : number('runs', values.runs),
      untilMs: number('minutes', values.minutes) * MINUTE,
      goOn: values['go-on'],
      prints: values.account,
      length: {
        episodes: number('episodes', values.episodes),
        steps: number('steps', values.steps),
        ...(only ? { only: only as FaultName[] } : {}),
      },
    }
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error))
  }
}

const { seed: first, runs, untilMs, goOn, prints, length } = readCommandLine()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
let broken = 0
for (let seed = first; seed < first + runs && performance.now() < untilMs; seed += 1) {
  const script = writeScript(seed, length)
  const { semiSync, policy, stopped, gated, meshed, disks, init } = script
  say(
    `seed ${seed}: ${semiSync ? 'semi-sync' : 'async'}, policy ${policy}${stopped ? ', stopped at start' : ''}${gated ? ', gates' : ''}${meshed ? ', mesh' : ''}${disks ? `, ${disks} disks` : ''}, init ${init}`,
  )
  const { violations, endings, account, kept } = await run(script)
  if (prints) for (const line of account) say(`  ${line}`)
  for (const ending of endings) say(`  ${ending}`)
  for (const violation of violations) say(`  BROKEN ${violation}`)
  if (kept === undefined) continue
  broken += 1
  say(
    `  kept in ${kept}; once more: npm run chaos -- --seed ${seed} --runs 1 --episodes ${length.episodes} --steps ${length.steps}`,
  )
  if (!goOn) break
}
process.exit(broken > 0 ? 1 : 0)
