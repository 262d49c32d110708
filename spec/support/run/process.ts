// Runs one task in a process of its own and reads what it reports, however it ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packageRoot } from '../../../lib/base/package-root.js'
import type { RunReport } from './reporter.js'
import type { Task } from './tasks.js'

/** A process that takes longer hangs: it is killed with its children and counts as a failure. Milliseconds. */
const LIMIT_MS = { commit: 12 * 60_000, soak: 120 * 60_000 } as const
/** A process that reported and does not end has left something open: a listener, a timer, a child. Milliseconds. */
const END_MS = 30_000

export interface Run {
  readonly task: Task
  readonly report: RunReport
  readonly tookMs: number
  /** What it printed; empty where it was shown at once. */
  readonly output: string
}

export interface Processes {
  readonly run: (task: Task) => Promise<Run>
  /** Ends what still runs. */
  readonly stop: () => void
}

interface Options {
  /** The Node that runs the specs. */
  readonly node: string
  readonly isSoak: boolean
  /** Shows what a process prints while it runs. */
  readonly isShown: boolean
}

export function createProcesses({ node, isSoak, isShown }: Options): Processes {
  const reports = mkdtempSync(path.join(os.tmpdir(), 'manager-reports-'))
  process.on('exit', () => rmSync(reports, { recursive: true, force: true }))
  const running = new Set<ReturnType<typeof spawn>>()

  async function run(task: Task): Promise<Run> {
    const target = path.join(reports, `${task.name.replace(/\W+/g, '-')}.json`)
    // That of an earlier run of the same task would be taken for this one's.
    rmSync(target, { force: true })
    const begun = performance.now()
    const child = spawn(
      node,
      [
        // As an option of mocha it would start a second Node for each file.
        '--enable-source-maps',
        'node_modules/mocha/bin/mocha.js',
        ...['--config', '.mocharc.json', '--reporter', 'dist/spec/support/run/reporter.js'],
        ...['--reporter-option', `report=${target}`],
        ...task.files,
      ],
      {
        cwd: packageRoot,
        // A group of its own, which is to end with it.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: environmentOf(task, { isSoak, none: path.join(reports, 'none') }),
      },
    )
    running.add(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        if (isShown) process.stdout.write(chunk)
        else output += chunk
      })
    const limit = setTimeout(() => end(child, 'SIGKILL'), isSoak ? LIMIT_MS.soak : LIMIT_MS.commit)
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

  return {
    run,
    stop: () => {
      for (const child of running) end(child, 'SIGTERM')
    },
  }
}

/**
 * What its process gets. Units find no program by its name, on a machine that has it neither: one that starts a program fails everywhere,
 * not only where that is missing. `none`: a folder that does not exist.
 */
export const environmentOf = (
  { startsPrograms }: Pick<Task, 'startsPrograms'>,
  { isSoak, none }: { readonly isSoak: boolean; readonly none: string },
): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(startsPrograms ? {} : { PATH: none }),
  ...(isSoak ? { SPEC_SOAK: '1' } : {}),
})

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
  const { passed = 0, skips = [], files = {}, cpuMs = 0 } = rest
  return { passed, failed: 1, skips, files, cpuMs, failures: [`${name}\n  ${reason}\n`] }
}

function readReport(file: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunReport
  } catch {
    return undefined
  }
}
