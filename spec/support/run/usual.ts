// What spec files usually take, alone on two processors: for the order of a run, for what may run beside what, and to
// name a file that takes much longer. `bin/test --record` measures and writes it.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'
import type { Run } from './process.js'
import { nameOf } from './tasks.js'

export interface Usual {
  readonly seconds: number
  /** Processors that it and what it starts keep busy, on average; absent while only its time is known. */
  readonly cores?: number
}

/** By the name of the file; one that is not there starts nothing and takes less than a second, or is new. */
export type UsualTable = Readonly<Record<string, Usual>>

const file = path.join(packageRoot, 'spec/support/run/usual.json')

export const readUsual = (): UsualTable => JSON.parse(readFileSync(file, 'utf8')) as UsualTable

/** Shorter ones are not worth a line, seconds. */
const LEAST = 1

/** Writes what was measured; files that did not run, or failed, keep what they had. */
export function recordUsual(runs: readonly Run[]): void {
  const rows = { ...readUsual(), ...Object.fromEntries(runs.flatMap(measuredIn)) }
  const lines = Object.keys(rows)
    .sort()
    .map((name) => `  ${JSON.stringify(name)}: ${textOf(rows[name])}`)
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`)
}

const textOf = (row: Usual | undefined): string => JSON.stringify(row).replace(/[{,:]/g, '$& ').replace('}', ' }')

/** A file with a process of its own is measured with its start and its end. */
function measuredIn({ task, report, tookMs }: Run): readonly (readonly [string, Usual])[] {
  if (report.failed > 0) return []
  const times = task.startsPrograms ? { [task.files[0] ?? '']: tookMs } : report.files
  return Object.entries(times)
    .filter(([, ms]) => task.startsPrograms || ms >= LEAST * 1_000)
    .map(([name, ms]) => [nameOf(name), { seconds: Math.ceil(ms / 1_000), cores: coresOf(report.cpuMs, tookMs) }])
}

const coresOf = (cpuMs: number, tookMs: number): number => Math.max(0.1, Math.round((10 * cpuMs) / tookMs) / 10)

/** So many times its usual time is much longer. */
const MUCH = 5
/** The start of a process beside others takes a moment of its own, seconds. */
const LEAST_USUAL = 3

/** A line for each file that took much longer than it usually does; `times` in milliseconds, by compiled file. */
export function muchLonger(times: Readonly<Record<string, number>>, usual: UsualTable): readonly string[] {
  return Object.entries(times).flatMap(([each, ms]) => {
    const known = usual[nameOf(each)]
    if (known === undefined || ms <= MUCH * 1_000 * Math.max(known.seconds, LEAST_USUAL)) return []
    return [`  ${nameOf(each)}: ${Math.round(ms / 1_000)} s, usually ${known.seconds} s`]
  })
}
