// Runs specs in a few processes and adds up what they report: bin/test is its user.
//
//   node dist/spec/support/run/main.js [--unit | --soak | --stress N [--noise N]] [--workers N] [--node PATH] [--failed NAME]
//                                      [spec file or folder, …]
//
// --unit: what starts no other program. --soak: the specs that have more cases than a commit runs, with all of them.
// --stress N: the named specs N times, one after the other, beside so many busy processes as --noise says.
// --node: the Node that runs the specs. --failed NAME: a check that failed before, for the sums.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { counted } from '../../../lib/base/counted.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { type Settled, settle, UNSTABLE_LIMIT } from './again.js'
import { createProcesses, type Run } from './process.js'
import { secondsText } from './seconds-text.js'
import { describeSpec, listSpecs, type Spec, specsAt } from './specs.js'
import { stress } from './stress.js'
import { divide, nameOf, type Task, type Times } from './tasks.js'

/** More than there are processors: a story waits for its servers about as long as it computes. */
const WORKERS = Math.ceil(1.5 * Math.max(2, os.availableParallelism()))
const SLOWEST = 15
const CHUNKS = 8
const timesFile = path.join(packageRoot, '.cache/spec-times.json')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    unit: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    stress: { type: 'string' },
    noise: { type: 'string', default: '0' },
    workers: { type: 'string', default: String(WORKERS) },
    node: { type: 'string', default: process.execPath },
    failed: { type: 'string', multiple: true, default: [] },
  },
})

const isWhole = positionals.length === 0 && !values.unit && !values.soak
const isStress = values.stress !== undefined
if (isStress && positionals.length === 0) fail('--stress needs the specs to run: files or folders')

const tasks = divide(chosen(), { times: readTimes(), chunks: CHUNKS })
const { run, stop } = createProcesses({
  ...{ node: values.node, isSoak: values.soak, isShown: tasks.length === 1 && !isStress },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stop()
    process.exit(1)
  })

if (isStress) {
  const isSound = await stress(tasks, { run, times: countOf('stress'), noise: countOf('noise') })
  process.exit(isSound ? 0 : 1)
}

const begin = performance.now()
const first: Run[] = []
await work(
  tasks.filter(({ isAlone }) => !isAlone),
  Number(values.workers),
)
await work(
  tasks.filter(({ isAlone }) => isAlone),
  1,
)
conclude(isWhole ? await settle(first, { run: runAgain, now: () => performance.now() }) : { runs: first, unstable: [] })

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
  const absent = found.filter(({ files }) => files.length === 0).map(({ name }) => `${name}: no spec is there`)
  if (absent.length > 0) fail(absent.join('\n'))
  return [...new Set(found.flatMap(({ files }) => files))].map(describeSpec)
}

function countOf(option: 'stress' | 'noise'): number {
  const text = values[option] ?? ''
  return /^\d+$/.test(text) ? Number(text) : fail(`--${option} takes a number, not '${text}'`)
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(2)
}

/** Every process takes the next task of the queue until none is left. */
async function work(queue: readonly Task[], workers: number): Promise<void> {
  const left = [...queue]
  const worker = async () => {
    for (let task = left.shift(); task; task = left.shift()) {
      const done = await run(task)
      first.push(done)
      note(done, `[${first.length}/${tasks.length}]`)
    }
  }
  await Promise.all(Array.from({ length: workers }).map(worker))
}

async function runAgain(task: Task): Promise<Run> {
  const done = await run(task)
  note(done, '[again]')
  return done
}

/** One line for each process, and its whole output when something failed. */
function note({ task, report, tookMs, output }: Run, place: string): void {
  const { passed, failed, skips } = report
  if (failed > 0) process.stdout.write(output)
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skips.length > 0 && `${skips.length} skipped`]
  process.stdout.write(`${place} ${task.name}: ${counts.filter(Boolean).join(', ')} (${secondsText(tookMs)})\n`)
}

/** The slowest files, what was skipped, what failed, what was unstable, and one line with the sums. */
function conclude({ runs, unstable, refusal }: Settled): void {
  const times: Times = Object.assign({}, ...runs.map(({ report }) => report.files))
  if (!values.soak && values.node === process.execPath) keepTimes(times)
  const slowest = Object.entries(times)
    .sort(([, one], [, other]) => other - one)
    .slice(0, SLOWEST)
    .map(([file, ms]) => `  ${secondsText(ms)}  ${nameOf(file)}`)
  const all = runs.map(({ report }) => report)
  const sum = (name: 'passed' | 'failed') => all.reduce((total, report) => total + report[name], 0)
  const skips = all.flatMap((report) => report.skips)
  const failures = [...values.failed.map((name) => `${name}\n`), ...all.flatMap((report) => report.failures)]
  const failed = sum('failed') + values.failed.length
  const section = (title: string, texts: readonly string[]) => (texts.length > 0 ? [title, ...texts] : [])
  const lines = [
    ...(runs.length > 1 ? section('Slowest files:', slowest) : []),
    ...section(
      'Skipped:',
      skips.map((title) => `  ${title}`),
    ),
    ...section('Failed:', failures),
    ...(refusal === undefined ? [] : [refusal]),
    ...section(
      'Unstable:',
      unstable.map(
        (each) => `${each.name}: failed ${counted(each.failed, 'time')}, then passed alone\n${each.failure}`,
      ),
    ),
    `Took ${secondsText(performance.now() - begin)}${isWhole ? `, ${counted(unstable.length, 'unstable file')} of at most ${UNSTABLE_LIMIT}` : ''}`,
    `${sum('passed')} passed, ${failed} failed, ${skips.length} skipped`,
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
