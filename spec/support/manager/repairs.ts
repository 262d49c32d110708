// What a client does whose request meets a repair of the manager's own: it asks again when that has ended.
import { sleep } from '../../../lib/base/time.js'
import { PATIENCE_MS } from '../databases/database.js'

const refused = /^"?repair-\S+ .*is running/

/** Asks until the answer is another one than that a repair is running. */
export async function pastRepairs<T>(
  ask: () => Promise<T>,
  read: (answer: T) => { readonly status: number; readonly text: string },
): Promise<T> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    const { status, text } = read(answer)
    if (status !== 409 || !refused.test(text) || performance.now() > until) return answer
    await sleep(50)
  }
}
