// A benchmark on the primary of a cluster: its own schema and account, sysbench, and nothing of it left behind.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { modeOf } from '../base/files/modes.js'
import { done, fail, ok, type Result } from '../base/result.js'
import { MINUTE, SECOND } from '../base/time.js'
import { runProgram } from '../connect/shell/program.js'
import {
  BENCHMARK_SCHEMA,
  BENCHMARK_USER,
  createBenchmarkAccount,
  createBenchmarkSchema,
  dropBenchmarkAccount,
  dropBenchmarkSchema,
  listBenchmarkTables,
  writeBinlog,
} from '../dialect/shared/control/benchmark.js'
import { textIn } from '../dialect/statement/rows.js'
import { type ActSession, withActSession } from '../effect/acts/act-session.js'
import type { EffectServer } from '../effect/kit/server.js'
import {
  type BenchmarkShape,
  isBenchmarkTable,
  readReport,
  renderFigures,
  renderOptions,
  type SysbenchPhase,
  sysbenchPhases,
} from './sysbench.js'

export interface BenchmarkRequest {
  readonly program: string
  readonly shape: BenchmarkShape
  /** The primary, now: its role may move meanwhile. Undefined: there is none. */
  readonly primary: () => EffectServer | undefined
}

export interface BenchmarkRun {
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** Longest time of the statements before and after. */
const STATEMENTS_MS = MINUTE
/** Longest duration of the filling of so many rows. */
const FILL_MS = 10 * MINUTE
const FILL_ROWS = 1_000_000
/** How much longer than it was asked to a run may take. */
const LATE_MS = MINUTE
const MOST_LINES = 500

/** Longest duration of all of it, milliseconds. */
export const benchmarkLimit = (shape: BenchmarkShape): number =>
  fillLimit(shape) + shape.seconds * SECOND + LATE_MS + 4 * STATEMENTS_MS

const fillLimit = ({ rows, tables }: BenchmarkShape): number =>
  FILL_MS * Math.max(1, Math.ceil((rows * tables) / FILL_ROWS))

/**
 * Measures, and says what in one line. Failures: `no-primary`; `wrong-state`: the schema holds what no benchmark put there;
 * `script-failed`: sysbench, with its last line; those of a session. Whatever happens, schema and account are removed.
 */
export async function runBenchmark(request: BenchmarkRequest, run: BenchmarkRun): Promise<Result<string>> {
  const server = request.primary()
  if (!server) return fail('no-primary', 'there is no primary to measure')
  const password = `${randomBytes(18).toString('base64url')}Aa1-`
  const prepared = await prepare(server, password, run.signal)
  if (!prepared.ok) return prepared
  const measured = await measure(server, password, { request, run })
  const left = await removeBenchmark({ ...request, used: server })
  if (!left.ok) run.log(`not removed: ${left.failure.message}`)
  if (measured.ok && !left.ok) return left
  return measured
}

/** Creates schema and account; what an earlier one left is removed first. */
function prepare(server: EffectServer, password: string, signal: AbortSignal): Promise<Result<unknown>> {
  return withActSession(server, { limitMs: STATEMENTS_MS, signal }, async (session) => {
    const removed = await dropOwn(session)
    if (!removed.ok) return removed
    const created = await session.run([writeBinlog(true), createBenchmarkSchema, writeBinlog(false)])
    return created.ok ? session.run(createBenchmarkAccount(password)) : created
  })
}

/** Removes the schema where every table of it is one of a benchmark. Failure: `wrong-state`. */
async function dropOwn(session: ActSession): Promise<Result<unknown>> {
  const listed = await session.ask(listBenchmarkTables)
  if (!listed.ok) return listed
  const others = listed.value.map((row) => textIn(row, 'name')).filter((name) => !isBenchmarkTable(name))
  if (others.length > 0)
    return fail(
      'wrong-state',
      `${session.name}: schema ${BENCHMARK_SCHEMA} holds ${others.slice(0, 3).join(', ')}, which no benchmark created: move what is there, or drop it`,
    )
  return session.run([writeBinlog(true), dropBenchmarkSchema, writeBinlog(false)])
}

interface Measuring {
  readonly request: BenchmarkRequest
  readonly run: BenchmarkRun
}

async function measure(
  { target }: EffectServer,
  password: string,
  { request: { program, shape }, run }: Measuring,
): Promise<Result<string>> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'manager-bench-'))
  try {
    const file = path.join(directory, 'options')
    const login = { host: target.host, port: target.port, user: BENCHMARK_USER, password, schema: BENCHMARK_SCHEMA }
    await writeFile(file, renderOptions(login, shape), { mode: modeOf('login') })
    const lines: string[] = []
    const limits: Readonly<Record<SysbenchPhase, number>> = {
      prepare: fillLimit(shape),
      run: shape.seconds * SECOND + LATE_MS,
    }
    for (const phase of sysbenchPhases) {
      run.log(`sysbench ${shape.test} ${phase}`)
      const ended = await runProgram({
        ...{ file: program, args: [`--config-file=${file}`, shape.test, phase], cwd: directory, bound: true },
        ...{ timeoutMs: limits[phase], signal: run.signal, maxLines: MOST_LINES },
        onLine: (line) => {
          if (phase === 'run') lines.push(line)
          if (line.trim() !== '') run.log(line)
        },
      })
      if (!ended.ok) return ended
    }
    const figures = readReport(lines)
    return figures
      ? ok(renderFigures(figures, shape))
      : fail('script-failed', `${program}: it ended without a whole report; its output is in the log of the job`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Removes the schema on the primary, and the account on the server that was `used` and on the primary. Failures: `no-primary`,
 * `wrong-state`, those of a session.
 */
export async function removeBenchmark({
  primary,
  used,
}: Pick<BenchmarkRequest, 'primary'> & { readonly used?: EffectServer }): Promise<Result<unknown>> {
  const now = primary()
  if (!now) return fail('no-primary', `schema ${BENCHMARK_SCHEMA} stays: there is no primary`)
  // A cancelled job has ended already: this has a time of its own.
  const limit = { limitMs: STATEMENTS_MS, signal: new AbortController().signal }
  const removed = await withActSession(now, limit, async (session) => {
    const dropped = await session.run([dropBenchmarkAccount])
    return dropped.ok ? dropOwn(session) : dropped
  })
  if (!used || used.spec.id === now.spec.id || !removed.ok) return removed.ok ? done : removed
  return withActSession(used, limit, (session) => session.run([dropBenchmarkAccount]))
}
