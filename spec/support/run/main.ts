// Runs specs in a few processes and adds up what they report: bin/test is its user.
//
//   node dist/spec/support/run/main.js [--unit | --soak] [--workers N] [--node PATH] [--failed NAME] [spec file or folder, …]
//
// --unit: what starts no other program. --soak: the specs that have more cases than a commit runs,
// with all of them. --node: the Node that runs the specs. --failed NAME: a check that failed before, for the sums.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../../lib/base/package-root.js'
import type { RunReport } from './reporter.js'
import { describeSpec, listSpecs, type Spec, specsAt } from './specs.js'
import { divide, nameOf, type Task, type Times } from './tasks.js'

/** A process that takes longer hangs: it is killed with its children and counts as a failure. Milliseconds. */
const LIMIT_MS = { commit: 12 * 60_000, soak: 120 * 60_000 } as const
/** A process that reported and does not end has left something open: a listener, a timer, a child. Milliseconds. */
const END_MS = 30_000
/** More than there are processors: a story waits for its servers about as long as it computes. */
const WORKERS = Math.ceil(1.5 * Math.max(2, os.availableParallelism()))
const SLOWEST = 15
const CHUNKS = 8
const timesFile = path.join(packageRoot, '.cache/spec-times.json')

interface Run {
  readonly task: Task
  readonly report: RunReport
  readonly tookMs: number
  readonly output: string
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    unit: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(WORKERS) },
    node: { type: 'string', default: process.execPath },
    failed: { type: 'string', multiple: true, default: [] },
  },
})

const reports = mkdtempSync(path.join(os.tmpdir(), 'manager-reports-'))
process.on('exit', () => rmSync(reports, { recursive: true, force: true }))
const running = new Set<ReturnType<typeof spawn>>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of running) end(child, 'SIGTERM')
    process.exit(1)
  })

const tasks = divide(chosen(), { times: readTimes(), chunks: CHUNKS })
const runs: Run[] = []
const begin = performance.now()
await work(
  tasks.filter(({ isAlone }) => !isAlone),
  Number(values.workers),
)
await work(
  tasks.filter(({ isAlone }) => isAlone),
  1,
)
conclude()

function chosen(): readonly Spec[] {
  if (positionals.length > 0) return named()
  const specs = listSpecs()
  const here = values.node === process.execPath
  if (values.unit) return specs.filter(({ isStory, isProgram }) => !isStory && !(isProgram && here))
  return values.soak ? specs.filter(({ isLonger }) => isLonger) : specs
}

/** The specs that the command line names; ends the run with status 2 when a path names none. */
function named(): readonly Spec[] {
  const found = positionals.map((name) => ({ name, files: specsAt(name) }))
  for (const { name, files } of found) if (files.length === 0) process.stderr.write(`${name}: no spec is there\n`)
  if (found.some(({ files }) => files.length === 0)) process.exit(2)
  return [...new Set(found.flatMap(({ files }) => files))].map(describeSpec)
}

/** Every process takes the next task of the queue until none is left. */
async function work(queue: readonly Task[], workers: number): Promise<void> {
  const left = [...queue]
  const worker = async () => {
    for (let task = left.shift(); task; task = left.shift()) note(await run(task))
  }
  await Promise.all(Array.from({ length: workers }).map(worker))
}

async function run(task: Task): Promise<Run> {
  const target = path.join(reports, `${task.name.replace(/\W+/g, '-')}.json`)
  const begun = performance.now()
  const child = spawn(
    values.node,
    [
      'node_modules/mocha/bin/mocha.js',
      ...['--config', '.mocharc.json', '--reporter', 'dist/spec/support/run/reporter.js'],
      ...['--reporter-option', `report=${target}`],
      ...task.files,
    ],
    {
      cwd: packageRoot,
      // A group of its own: mocha runs the specs in a child, which is to end with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(values.soak ? { SPEC_SOAK: '1' } : {}) },
    },
  )
  running.add(child)
  const isOnly = tasks.length === 1
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      if (isOnly) process.stdout.write(chunk)
      else output += chunk
    })
  const limit = setTimeout(() => end(child, 'SIGKILL'), values.soak ? LIMIT_MS.soak : LIMIT_MS.commit)
  const reported = setInterval(() => {
    if (!existsSync(target)) return
    clearInterval(reported)
    setTimeout(() => end(child, 'SIGKILL'), END_MS).unref()
  }, 1_000)
  const closed = once(child, 'close')
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  clearTimeout(limit)
  clearInterval(reported)
  // What is left of the group would hold the output open.
  end(child, 'SIGKILL')
  await Promise.race([closed, sleep(END_MS, undefined, { ref: false })])
  running.delete(child)
  const report = readReport(target) ?? broken(task, `its process ended with ${signal ?? status} and left no report`)
  const isClean = status === 0 || report.failed > 0
  return {
    task,
    report: isClean ? report : broken(task, `its process ended with ${signal ?? status}`, report),
    tookMs: performance.now() - begun,
    output,
  }
}

/** Sends a signal to the process and to everything that it started and that has no group of its own. */
function end(child: ReturnType<typeof spawn>, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group has ended.
  }
}

function broken({ name }: Task, reason: string, rest: Partial<RunReport> = {}): RunReport {
  const { passed = 0, skipped = 0, files = {} } = rest
  return { passed, failed: 1, skipped, files, failures: [`${name}\n  ${reason}\n`] }
}

function readReport(file: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunReport
  } catch {
    return undefined
  }
}

/** One line for each process, and its whole output when something failed. */
function note(run: Run): void {
  runs.push(run)
  const { task, report, tookMs, output } = run
  const { passed, failed, skipped } = report
  if (failed > 0) process.stdout.write(output)
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
  process.stdout.write(
    `[${runs.length}/${tasks.length}] ${task.name}: ${counts.filter(Boolean).join(', ')} (${seconds(tookMs)})\n`,
  )
}

/** The slowest files, the failures once more, and one line with the sums. */
function conclude(): void {
  const times: Times = Object.assign({}, ...runs.map(({ report }) => report.files))
  if (!values.soak && values.node === process.execPath) keepTimes(times)
  const slowest = Object.entries(times)
    .sort(([, one], [, other]) => other - one)
    .slice(0, SLOWEST)
  const all = runs.map(({ report }) => report)
  const sum = (name: 'passed' | 'failed' | 'skipped') => all.reduce((total, report) => total + report[name], 0)
  const failures = [...values.failed.map((name) => `${name}\n`), ...all.flatMap((report) => report.failures)]
  const failed = sum('failed') + values.failed.length
  const lines = [
    ...(runs.length > 1 ? ['Slowest files:', ...slowest.map(([file, ms]) => `  ${seconds(ms)}  ${nameOf(file)}`)] : []),
    ...(failures.length > 0 ? ['Failed:', ...failures] : []),
    `Took ${seconds(performance.now() - begin)}`,
    `${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`,
  ]
  process.stdout.write(`\n${lines.join('\n')}\n`)
  process.exitCode = failed === 0 ? 0 : 1
}

function readTimes(): Times {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8')) as Times
  } catch {
    return {}
  }
}

/** For the order of the next run; a run of some files leaves the times of the others. */
function keepTimes(times: Times): void {
  mkdirSync(path.dirname(timesFile), { recursive: true })
  writeFileSync(timesFile, JSON.stringify({ ...readTimes(), ...times }))
}

function seconds(ms: number): string {
  const whole = Math.round(ms / 1_000)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
