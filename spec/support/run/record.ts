// Writes what a run measured as what is usual.
import { writeFileSync } from 'node:fs'
import type { Run } from './process.js'
import { nameOf } from './specs.js'
import { readUsual, type Usual, usualFile } from './usual.js'

/** Shorter ones are not worth a line, seconds. */
const LEAST = 1

/** Writes what was measured; files that did not run, or failed, keep what they had. */
export function recordUsual(runs: readonly Run[]): void {
  const rows = { ...readUsual(), ...Object.fromEntries(runs.flatMap(measuredIn)) }
  const lines = Object.keys(rows)
    .sort()
    .map((name) => `  ${JSON.stringify(name)}: ${textOf(rows[name])}`)
  writeFileSync(usualFile, `{\n${lines.join(',\n')}\n}\n`)
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
