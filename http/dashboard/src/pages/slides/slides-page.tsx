// The fleet on a wall: one slide after the other without a hand on it, dated when the manager is gone, going on when it is back.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useQuery } from '../../parts/address.js'
import { Loading } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { now } from '../../store/clock.js'
import { connection, fleet } from '../../store/fleet/fleet.js'
import { renderClock } from '../../text/moments.js'
import { ClusterSlide } from './cluster-slide.js'
import { FleetSlide } from './fleet-slide.js'
import { keyOfSlide, nextPlace, type Place, slidesOf } from './order.js'
import './slides.css'

const USUAL_SECONDS = 30
const LEAST_SECONDS = 5

export function page() {
  const { query } = useQuery()
  const { route } = useLocation()
  const place = useSignal<Place>({ index: 0, slide: { type: 'fleet' } })
  const isPaused = useSignal(false)
  const { q = '', only = '', every = '' } = query
  const seconds = Math.max(Number(every) || USUAL_SECONDS, LEAST_SECONDS)
  const slides = () => slidesOf(fleet.list(), { filter: q, onlyTrouble: only === 'trouble' })

  useEffect(() => {
    const timer = setInterval(() => {
      if (!isPaused.peek()) place.value = nextPlace(slides(), place.peek())
    }, seconds * 1_000)
    return () => clearInterval(timer)
  }, [seconds, q, only])

  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (target instanceof Element && target.closest('a, dialog')) return
      if (key === ' ') isPaused.value = !isPaused.peek()
      else if (key === 'ArrowRight') place.value = nextPlace(slides(), place.peek())
      else if (key === 'f') void document.documentElement.requestFullscreen?.().catch(() => undefined)
      else if (key === 'Escape') route('/')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [q, only])
  useEffect(keepAwake, [])

  const { slide } = place.value
  const state = connection.value
  return (
    <div class={state.type === 'lost' ? 'slides slides-stale' : 'slides'}>
      <h1 class="hidden">Slide show of the fleet</h1>
      {fleet.known.value ? (
        <section key={keyOfSlide(slide)} class="slide" aria-live="off">
          {slide.type === 'fleet' ? <FleetSlide filter={q} /> : <ClusterSlide {...slide} />}
        </section>
      ) : (
        <Loading what="Reading the fleet" />
      )}
      <footer class="slides-foot">
        {state.type === 'lost' && (
          <strong role="alert">
            The manager is not reachable since <Moment at={state.since} as="time" />
            {state.seen !== undefined && (
              <>
                , showing <Moment at={state.seen} as="time" />
              </>
            )}
          </strong>
        )}
        {isPaused.value && <span>Paused</span>}
        <span class="number">
          <Clock />
        </span>
      </footer>
    </div>
  )
}

const Clock = () => <>{renderClock(now.value)}</>

/** A wall that goes dark shows nothing; where the browser has no such lock, its own settings decide. */
function keepAwake(): () => void {
  let lock: WakeLockSentinel | undefined
  let isOver = false
  const take = async () => {
    if (document.hidden || isOver) return
    lock = await navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  const onVisible = () => void take()
  document.addEventListener('visibilitychange', onVisible)
  void take()
  return () => {
    isOver = true
    document.removeEventListener('visibilitychange', onVisible)
    void lock?.release().catch(() => undefined)
  }
}
