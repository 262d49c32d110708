// The first statement of a session: its own values in place of the server's defaults, with what a caller asks in the same round trip.
import type { Result } from '../../base/result.js'
import { sessionStart, unknownVariable } from '../../dialect/index.js'
import type { Row } from './session.js'

type Answer = Result<readonly (readonly Row[])[]>

/** Versions that are kept: more are sent by no fleet. */
const MOST = 100

/** Names that servers of a version text were found not to know. */
const unknown = new Map<string, ReadonlySet<string>>()

/** Runs it, then `rest` where there is one. A server that does not know a name is asked again without it, once per version. */
export async function startSession(
  versionText: string,
  rest: string,
  run: (sql: string) => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const without = unknown.get(versionText)
    const start = sessionStart(versionText, without)
    const answer = await run(rest === '' ? start : `${start};${rest}`)
    const name = answer.ok ? undefined : unknownVariable(answer.failure.message)
    if (name === undefined || without?.has(name)) return answer
    if (unknown.size >= MOST) unknown.clear()
    unknown.set(versionText, new Set([...(without ?? []), name]))
  }
}
