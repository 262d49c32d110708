// Shows what a command reads: once, or with `--watch` again and again on a screen that does not flicker.
import { sleep } from '../../../lib/base/time.js'
import { EXIT, Exit } from '../output/exit.js'
import { format, print } from '../output/output.js'
import { paint } from '../output/paint.js'
import type { CommonFlags } from './flags.js'

const HOME = '\u001b[H'
const CLEAR = '\u001b[H\u001b[2J'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

export interface Presentation<T> {
  readonly read: () => Promise<T>
  /** For people. */
  readonly render: (value: T) => string
  /** The same for what `--query` leaves of it. */
  readonly part?: (part: unknown) => string
}

/** With `--watch`, an unreachable manager is reported and polled again; other failures end the program. */
export async function present<T>(
  { watch, interval, ...request }: Pick<CommonFlags, 'output' | 'query' | 'watch' | 'interval'>,
  { read, render, part }: Presentation<T>,
): Promise<void> {
  if (!watch) return print(await format(request, await read(), { render, part }))
  if (process.stdout.isTTY) process.stdout.write(CLEAR)
  for (;;) {
    const text = await read()
      .then((value) => format(request, value, { render, part }))
      .catch(passing)
    if (process.stdout.isTTY) print(HOME + text.replaceAll('\n', `${CLEAR_LINE}\n`) + CLEAR_LINE + CLEAR_BELOW)
    else print(text)
    await sleep(interval * 1000)
  }
}

const passingStatuses: readonly number[] = [EXIT.error, EXIT.timeout, EXIT.unreachable]

function passing(error: unknown): string {
  if (error instanceof Exit && passingStatuses.includes(error.status)) return paint('red', error.message)
  throw error
}
