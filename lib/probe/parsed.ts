// What an answer of a server became, for when the session gives it again: equal lists of rows are the very lists of before.
import type { Dialect, KnownState, Rows } from '../dialect/index.js'
import type { ServerState } from '../model/server/reading.js'

/** All that a state is made of, but for the uptime. */
export interface LookAnswer {
  readonly results: readonly Rows[]
  readonly dialect: Dialect
  readonly semiSync: KnownState['semiSync'] | undefined
}

export interface ParsedAnswer extends LookAnswer {
  readonly state: ServerState
}

/** The state that the same answer became before; undefined when this is another one. */
export function parsedBefore(answer: LookAnswer, before: ParsedAnswer | undefined): ServerState | undefined {
  const repeats =
    before?.dialect === answer.dialect &&
    before.semiSync === answer.semiSync &&
    before.results.length === answer.results.length &&
    answer.results.every((rows, index) => rows === before.results[index])
  return repeats ? before.state : undefined
}
