// Runs specs in a few processes and adds up what they report: bin/test is its user.
//
//   node dist/spec/support/run/main.js [--unit | --soak | --stress N [--noise N]] [--workers N] [--record] [--node PATH]
//                                      [--failed NAME] [spec file or folder, …]
//
// --unit: what starts no other program. --soak: the specs that have more cases than a commit runs, with all of them.
// --stress N: the named specs N times, one after the other, beside so many busy processes as --noise says.
// --workers N: so many processes at once at most. --record: what was measured becomes usual; with one worker, on a quiet machine.
// --node: the Node that runs the specs. --failed NAME: a check that failed before, for the sums.
import os from 'node:os'
import { parseArgs } from 'node:util'
import { type Settled, settle } from './again.js'
import { renderClosing } from './closing.js'
import { createProcesses, type Run } from './process.js'
import { runQueued } from './queue.js'
import { recordUsual } from './record.js'
import { secondsText } from './seconds-text.js'
import { describeSpec, listSpecs, type Spec, specsAt } from './specs.js'
import { stress } from './stress.js'
import { divide, type Task } from './tasks.js'
import { readUsual } from './usual.js'

const CORES = Math.max(2, os.availableParallelism())
/** Processes at once: stories wait much of the time, but each begins with the start of several servers. */
const WORKERS = 2 * CORES
const CHUNKS = 8

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    unit: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    stress: { type: 'string' },
    noise: { type: 'string', default: '0' },
    workers: { type: 'string', default: String(WORKERS) },
    record: { type: 'boolean', default: false },
    node: { type: 'string', default: process.execPath },
    failed: { type: 'string', multiple: true, default: [] },
  },
})

const isWhole = positionals.length === 0 && !values.unit && !values.soak
const isStress = values.stress !== undefined
if (isStress && positionals.length === 0) fail('--stress needs the specs to run: files or folders')

const usual = readUsual()
const tasks = divide(chosen(), { usual, chunks: CHUNKS })
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
await runQueued(
  tasks,
  { cores: CORES, most: countOf('workers') || fail('--workers takes one at least') },
  async (task) => {
    const done = await run(task)
    first.push(done)
    note(done, `[${first.length}/${tasks.length}]`)
  },
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

function countOf(option: 'stress' | 'noise' | 'workers'): number {
  const text = values[option] ?? ''
  return /^\d+$/.test(text) ? Number(text) : fail(`--${option} takes a number, not '${text}'`)
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(2)
}

async function runAgain(task: Task): Promise<Run> {
  const done = await run(task)
  note(done, '[again]')
  return done
}

/** One line for each process with its time and the processors that it kept busy, and its whole output when something failed. */
function note({ task, report, tookMs, output }: Run, place: string): void {
  const { passed, failed, skips } = report
  if (failed > 0) process.stdout.write(output)
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skips.length > 0 && `${skips.length} skipped`]
  const cores = (report.cpuMs / tookMs).toFixed(1)
  process.stdout.write(
    `${place} ${task.name}: ${counts.filter(Boolean).join(', ')} (${secondsText(tookMs)}, ${cores} cores)\n`,
  )
}

function conclude(settled: Settled): void {
  if (values.record) recordUsual(settled.runs)
  const { text, failed } = renderClosing({
    ...{ tasks, settled, checks: values.failed, usual, tookMs: performance.now() - begin, isWhole },
    isStrict: Boolean(process.env.CI),
  })
  process.stdout.write(`\n${text}\n`)
  process.exitCode = failed === 0 ? 0 : 1
}
