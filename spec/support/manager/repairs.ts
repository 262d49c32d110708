// What a client does whose request meets a repair of the manager's own: it asks again when that has ended.
import { MINUTE } from '../../../lib/base/time.js'
import { eventually, PATIENCE_MS } from '../wait.js'

const refused = /^"?repair-\S+ .*is running/

/** A request may wait for a whole recovery, and for a repair before that. */
const LIMIT_MS = 5 * MINUTE + PATIENCE_MS

/** Asks until the answer is another one than that a repair is running. */
export async function pastRepairs<T>(
  ask: () => Promise<T>,
  read: (answer: T) => { readonly status: number; readonly text: string },
): Promise<T> {
  const isRepairing = (answer: T): boolean => {
    const { status, text } = read(answer)
    return status === 409 && refused.test(text)
  }
  const outcome = await eventually(
    async () => {
      // A request that fails is not sent again: what it asked for may be under way.
      const sent = await ask().then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      )
      return ('error' in sent || !isRepairing(sent.answer)) && sent
    },
    'no repair is running',
    { everyMs: 50, limitMs: LIMIT_MS },
  )
  if ('error' in outcome) throw outcome.error
  return outcome.answer
}
