// Caches the parsed state of a server's answer: unchanged row lists are the same objects as before.
import type { Dialect, KnownState, Rows } from '../dialect/index.js'
import type { ServerState } from '../model/server/reading.js'

/** Everything a state is parsed from, except the uptime. */
export interface ProbeAnswer {
  readonly results: readonly Rows[]
  readonly dialect: Dialect
  readonly semiSync: KnownState['semiSync'] | undefined
}

export interface ParsedAnswer extends ProbeAnswer {
  readonly state: ServerState
}

/** The state parsed from the same answer before; undefined when the answer differs. */
export function parsedBefore(answer: ProbeAnswer, before: ParsedAnswer | undefined): ServerState | undefined {
  const repeats =
    before?.dialect === answer.dialect &&
    before.semiSync === answer.semiSync &&
    before.results.length === answer.results.length &&
    answer.results.every((rows, index) => rows === before.results[index])
  return repeats ? before.state : undefined
}
