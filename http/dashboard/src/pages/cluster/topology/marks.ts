// The shapes of the state mark as paths in a box of 12 by 12, for drawings: the same that stand beside words elsewhere.
import type { State } from '../../../model/state.js'

export const shapes: Readonly<Record<State, string>> = {
  down: 'M0 1.7 1.7 0 6 4.3 10.3 0 12 1.7 7.7 6l4.3 4.3-1.7 1.7L6 7.7 1.7 12 0 10.3 4.3 6z',
  broken: 'M6 .5 12 11.5H0z',
  degraded: 'M6 0l6 6-6 6-6-6z',
  healthy: 'M6 .8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 6 .8z',
  unknown: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0zm0 2.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6z',
}
