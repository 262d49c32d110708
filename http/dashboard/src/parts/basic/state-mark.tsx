// The state of something by shape, word and colour, so that no one of the three is needed.
import type { State } from '../../model/state.js'

export interface StateMarkProps {
  readonly state: State
  /** In place of the state's own word. */
  readonly word?: string
  /** The shape alone; the word stays for screen readers. */
  readonly compact?: boolean
}

export const StateMark = ({ state, word = state, compact = false }: StateMarkProps) => (
  <span class={`state state-${state}`}>
    <i class="mark" aria-hidden="true" />
    <span class={compact ? 'hidden' : undefined}>{word}</span>
  </span>
)
