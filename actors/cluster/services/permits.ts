// A cluster's side of the question whether the user that asked for work still may have its next step.
import type { Asker } from '../../../lib/access/index.js'
import type { Line } from '../../kernel/line.js'

/** `unanswered`: the step does not begin, and nothing is ended; it is asked again. */
export type Permit =
  | { readonly type: 'granted' }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'unanswered' }

export interface Permits {
  /** Settles within the deadline of the line. Work without an asker (of a schedule, of the manager, of older files) is granted. */
  ask(asker: Asker | undefined): Promise<Permit>
}

export const openPermits = (line: Pick<Line, 'ask'>): Permits => ({
  ask: async (asker) => {
    const answer = asker ? await line.ask('permit', asker) : {}
    if (!answer) return { type: 'unanswered' }
    return answer.refusal === undefined ? { type: 'granted' } : { type: 'refused', reason: answer.refusal }
  },
})
