// The arranged fleet of a page: again at once when the wish changes, at most once a second when clusters do, and not at all
// while the pointer or the focus is among them, so that nothing jumps from under it.
import { effect, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Arranged, arrange, type Wish } from '../../store/fleet/arrange.js'
import { fleet } from '../../store/fleet/fleet.js'

const REST_MS = 1_000
/** A pointer that rests longer is one that was left there. */
const HELD_MS = 4_000

export interface Arrangement {
  readonly arranged: Arranged
  /** Called when the pointer moves or a key is pressed among the clusters. */
  readonly hold: () => void
}

export function useArranged(wish: Wish): Arrangement {
  const { filter, sort, grouped } = wish
  const wanted = `${filter}\n${sort}\n${grouped}`
  const rounds = useSignal(0)
  const heldUntil = useRef(0)
  const kept = useRef<{ readonly wanted: string; readonly arranged: Arranged } | undefined>(undefined)
  if (kept.current?.wanted !== wanted) kept.current = { wanted, arranged: arrange(fleet.list(), wish) }

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => {
      const wait = heldUntil.current - performance.now()
      if (wait > 0) {
        timer = setTimeout(again, wait)
        return
      }
      timer = undefined
      kept.current = { wanted, arranged: arrange(fleet.list(), { filter, sort, grouped }) }
      rounds.value++
    }
    const stop = effect(() => {
      void fleet.changes.value
      // The first snapshot is shown at once.
      timer ??= setTimeout(again, kept.current?.arranged.total === 0 ? 0 : REST_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [filter, sort, grouped, wanted, rounds])

  const hold = () => {
    heldUntil.current = performance.now() + HELD_MS
  }
  // Read so that a new arrangement is drawn.
  void rounds.value
  return { arranged: kept.current.arranged, hold }
}
