// When the host of a service last asked for its needs: the time of an empty file in its directory, which outlives a restart.
import { mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { MINUTE } from '../../base/time.js'

const fileOf = (directory: string): string => path.join(directory, '.polled')

/** Written no more often than this: hosts ask every few seconds. */
const FRESH_MS = MINUTE

/** Remembers that the host asks; a file that cannot be written is passed over. `at`: milliseconds since the epoch. */
export async function notePoll(directory: string, at: number): Promise<void> {
  if (at - (await polledAt(directory)) < FRESH_MS) return
  const seconds = at / 1_000
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
    await writeFile(fileOf(directory), '', { mode: modeOf('mark') })
    await utimes(fileOf(directory), seconds, seconds)
  } catch {
    // The next question is remembered instead.
  }
}

/** Milliseconds since the epoch; minus infinity when it never asked. */
export const polledAt = (directory: string): Promise<number> =>
  stat(fileOf(directory)).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.NEGATIVE_INFINITY,
  )
