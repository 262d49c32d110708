// The state that a cluster keeps over a restart: one JSON file with a version, and the last good copy beside it.
import { readFile, rename } from 'node:fs/promises'
import { fail, ok, type Result } from '../../base/result.js'
import { atomicWrite, codeOf, reasonOf } from './atomic-write.js'

export interface StateFormat<T> {
  /** Written into the file; a file of another version counts as damaged. */
  readonly version: number
  /** The value when it has the expected shape, else undefined. */
  accept(value: unknown): T | undefined
}

export interface StateReading<T> {
  /** Absent when there is no usable file yet. */
  readonly value?: T
  /** What is wrong with the files, one line each; empty when nothing is. Reported as a finding. */
  readonly damage: readonly string[]
}

/**
 * Reads `file`, and `<file>.old` when that is damaged or missing. Never fails for a damaged file: the monitor continues
 * with what is left, and `damage` describes the problem. Nothing is changed on disk.
 */
export async function readState<T>(file: string, format: StateFormat<T>): Promise<StateReading<T>> {
  const current = await readOne(file, format)
  if (current.ok && current.value !== undefined) return { value: current.value, damage: [] }
  const previous = await readOne(`${file}.old`, format)
  const damage = [current, previous].flatMap((reading) => (reading.ok ? [] : [reading.failure.message]))
  return previous.ok && previous.value !== undefined ? { value: previous.value, damage } : { damage }
}

/**
 * Writes `value` and keeps the previous good file as `<file>.old`. A damaged one is moved aside to `<file>.damaged`
 * instead, so that it never replaces the last good copy. Failure: `file-unwritable`.
 */
export async function writeState<T>(file: string, format: StateFormat<T>, value: T): Promise<Result<void>> {
  const current = await readOne(file, format)
  if (!current.ok) await rename(file, `${file}.damaged`).catch(() => undefined)
  return atomicWrite(file, renderState(format, value), { keepPrevious: current.ok })
}

/** What `writeState` writes. */
export const renderState = <T>({ version }: StateFormat<T>, value: T): string =>
  `${JSON.stringify({ version, value })}\n`

/** The value, undefined when there is no such file, or why it cannot be used. */
async function readOne<T>(file: string, { version, accept }: StateFormat<T>): Promise<Result<T | undefined>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    return fail('file-unreadable', `${file}: ${reasonOf(error)}`)
  })
  if (text === undefined) return ok(undefined)
  if (typeof text !== 'string') return text
  const parsed = parseObject(text)
  if (!parsed) return fail('file-unreadable', `${file}: not a complete JSON object (${text.length} characters)`)
  if (parsed.version !== version)
    return fail('file-unreadable', `${file}: version ${String(parsed.version)}, expected ${version}`)
  const value = accept(parsed.value)
  return value === undefined ? fail('file-unreadable', `${file}: the content has another shape`) : ok(value)
}

/** The object a JSON text holds, else undefined. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
