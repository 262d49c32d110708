// What a start costs: processor time of a manager without clusters until its API answers, and of the client's runs.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { packageRoot } from '../../lib/base/package-root.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { cpuOfProcess, least } from './measure.js'
import { atMost, type BenchRow, judgeRow } from './row.js'

const ROUNDS = 5
const LIMIT_MS = 60 * SECOND
const MANAGER_CPU_S = 0.8
const HELP_CPU_S = 0.15
const COMMAND_CPU_S = 0.25

/** The least of some rounds: what else runs on the machine only adds to it. */
export async function benchStart(): Promise<readonly BenchRow[]> {
  const starts: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) starts.push(await startManager())
  const manager = await ManagerProcess.create({ clusters: {} })
  try {
    manager.start()
    await manager.alive()
    const help = await repeat(() => runClient(['--help']))
    const command = await repeat(() => runClient(['--port', String(manager.apiPort), 'monitor', 'alive']))
    return [
      row('manager without clusters: start until its API answers', least(starts), MANAGER_CPU_S),
      row('manager-cli --help', least(help), HELP_CPU_S),
      row('manager-cli monitor alive', least(command), COMMAND_CPU_S),
    ]
  } finally {
    await manager.destroy()
  }
}

const row = (name: string, value: number, most: number): BenchRow =>
  judgeRow({ name, value, unit: 'CPU s', target: atMost(most) })

async function repeat(run: () => Promise<number>): Promise<readonly number[]> {
  const figures: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) figures.push(await run())
  return figures
}

async function startManager(): Promise<number> {
  const manager = await ManagerProcess.create({ clusters: {} })
  try {
    manager.start()
    await untilAnswers(manager)
    return cpuOfProcess(manager.pid) / SECOND
  } finally {
    await manager.destroy()
  }
}

/** Asks without logging in: the first login makes the keys of the tokens, which is not part of the start. */
async function untilAnswers({ session }: ManagerProcess): Promise<void> {
  const until = performance.now() + LIMIT_MS
  while (performance.now() < until) {
    const reply = await session.call('GET', '/api/status', { anonymous: true })
    if (reply.ok && reply.value.status === 200) return
    await sleep(20)
  }
  throw new Error('the manager does not answer')
}

/** Processor seconds of one run, by the shell's account of its children. */
function runClient(words: readonly string[]): Promise<number> {
  const client = path.join(packageRoot, 'bin/manager-cli')
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', 'bash', client, ...words], (error, _, said) => {
      const [user = Number.NaN, system = Number.NaN] = (said.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
      if (error) reject(new Error(`manager-cli ${words.join(' ')}: ${said}`))
      else resolve(user + system)
    })
  })
}
