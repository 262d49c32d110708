// Arrow keys among clusters, those out of sight included.
import type { RefObject, TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'
import { type Line, stepFrom } from './lines.js'

export function useStepping(lines: readonly Line[], frame: RefObject<HTMLElement | null>) {
  const scrollTo = useRef<((index: number) => void) | undefined>(undefined)
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const from = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-line]') : null
    if (!from) return
    const to = stepFrom(lines, { line: Number(from.dataset.line), at: Number(from.dataset.at) }, event.key)
    if (!to) return
    event.preventDefault()
    scrollTo.current?.(to.line)
    const find = () => frame.current?.querySelector<HTMLElement>(`[data-line="${to.line}"][data-at="${to.at}"]`)
    const found = find()
    if (found) found.focus()
    else requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus()))
  }
  return { onKeyDown, scrollTo }
}
