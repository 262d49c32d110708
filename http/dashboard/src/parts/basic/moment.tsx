// A moment: how long ago or what time it was, with the full moment and its zone on hover.
import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { now } from '../../store/clock.js'
import { renderFullMoment, renderMoment } from '../../text/moments.js'
import { renderAge } from '../../text/numbers.js'

export interface MomentProps {
  /** Milliseconds. */
  readonly at: number
  /** `age`: "12 s ago"; `time`: "19:43:07". */
  readonly as?: 'age' | 'time'
}

export function Moment({ at, as = 'age' }: MomentProps) {
  const text = useMemo(
    () =>
      computed(() => {
        if (as === 'time') return renderMoment(at, now.value)
        const age = renderAge(now.value - at)
        return age === 'now' ? age : `${age} ago`
      }),
    [at, as],
  )
  return (
    <time dateTime={new Date(at).toISOString()} title={renderFullMoment(at)} class="number">
      {text}
    </time>
  )
}
