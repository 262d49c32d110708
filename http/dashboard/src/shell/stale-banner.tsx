// Says that what is shown is no longer current, and of when it is.
import { useComputed } from '@preact/signals'
import { now } from '../store/clock.js'
import { connection } from '../store/fleet/fleet.js'
import { renderClock } from '../text/moments.js'
import { renderAge } from '../text/numbers.js'

/** A stream that is back at once is not worth a word. */
const GRACE_MS = 2_000

export function StaleBanner() {
  const text = useComputed(() => {
    const state = connection.value
    if (state.type !== 'lost' || now.value - state.since < GRACE_MS) return undefined
    const { status } = state.failure
    const what = status === 0 ? 'Manager not reachable' : `The manager refuses the stream: ${state.failure.text}`
    const since = `${what} since ${renderAge(now.value - (state.seen ?? state.since))}`
    return state.seen === undefined ? since : `${since}, showing ${renderClock(state.seen)}`
  })
  return text.value === undefined ? null : (
    <p class="banner" role="alert">
      {text}
    </p>
  )
}
