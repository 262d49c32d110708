// The time as pages show it: one signal that moves once a second while the page is visible.
import { signal } from '@preact/signals'

/** Milliseconds. */
export const now = signal(Date.now())

let timer: ReturnType<typeof setInterval> | undefined

/** Starts with the page; a hidden page needs no clock. */
export function startClock(): void {
  const tick = () => {
    now.value = Date.now()
  }
  const follow = () => {
    clearInterval(timer)
    if (document.hidden) return
    tick()
    timer = setInterval(tick, 1_000)
  }
  document.addEventListener('visibilitychange', follow)
  follow()
}
