// How figures are taken: processor time rather than wall time, contenders in turns, the least or the median of repeats.
import { readFileSync } from 'node:fs'

/** Processor time of the work in all threads of this process, milliseconds. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Processor time that another process has used so far, milliseconds. */
export function cpuOfProcess(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may hold blanks; user and system time are the 12th and 13th field after it, in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Processor time of a process and of all that it started and that has ended since, milliseconds. */
export function cpuOfFamily(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) * 10
}

/** Memory of another process that is resident, megabytes. */
export const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024

/** Threads of another process. */
export const threadsOf = (pid: number): number =>
  Number(/^Threads:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)

/** Runs every contender once per round, one after the other, so that the machine's moods meet all alike. */
export async function takeTurns<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(contenders) as Name[]
  const figures = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < rounds; round += 1) for (const name of names) figures[name].push(await contenders[name]())
  return figures
}

export const least = (figures: readonly number[]): number => Math.min(...figures)

export const median = (figures: readonly number[]): number => quantile(figures, 0.5)

/** The figure that so large a share of all does not exceed. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((left, right) => left - right)
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))
  return sorted[index] ?? Number.NaN
}
