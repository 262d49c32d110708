// A long list of which only the lines in sight are drawn; it scrolls with the page.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { linesInSight, type Sight, topsOf } from './in-sight.js'

export interface VirtualListProps {
  readonly count: number
  /** Height of a line in pixels. */
  readonly heightOf: (index: number) => number
  readonly keyOf: (index: number) => string
  readonly line: (index: number) => ComponentChildren
  readonly label: string
  readonly role?: 'group' | 'rowgroup'
  /** For those who move the focus to a line that is not drawn. */
  readonly scrollTo?: RefObject<((index: number) => void) | undefined>
}

/** Lines beyond either edge, so that a scroll shows no gap. */
const SPARE = 2

export function VirtualList({ count, heightOf, keyOf, line, label, role = 'group', scrollTo }: VirtualListProps) {
  const frame = useRef<HTMLDivElement>(null)
  const sight = useSignal<Sight>({ above: 0, height: window.innerHeight })
  const tops = topsOf(count, heightOf)

  useLayoutEffect(() => {
    const main = frame.current?.closest('main')
    if (!main) return
    const measure = () => {
      if (!frame.current) return
      const above = main.getBoundingClientRect().top - frame.current.getBoundingClientRect().top
      const before = sight.peek()
      if (before.above !== above || before.height !== main.clientHeight)
        sight.value = { above, height: main.clientHeight }
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(main)
    main.addEventListener('scroll', measure, { passive: true })
    measure()
    return () => {
      sizes.disconnect()
      main.removeEventListener('scroll', measure)
    }
  }, [sight])

  if (scrollTo)
    scrollTo.current = (index) => {
      const main = frame.current?.closest('main')
      if (!main || !frame.current) return
      const { above, height } = sight.peek()
      const [top = 0, bottom = 0] = [tops[index], tops[index + 1]]
      // Below what stays at the top of the page.
      const margin = 64
      if (top < above + margin) main.scrollBy(0, top - above - margin)
      else if (bottom > above + height) main.scrollBy(0, bottom - above - height + 8)
    }

  const { from, to } = linesInSight(tops, sight.value, SPARE)
  const drawn = Array.from({ length: to - from }, (_none, index) => from + index)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a name
    <div ref={frame} class="virtual" role={role} aria-label={label} style={{ height: `${tops[count] ?? 0}px` }}>
      {drawn.map((index) => (
        <div
          key={keyOf(index)}
          class="virtual-line"
          role="presentation"
          style={{ transform: `translateY(${tops[index] ?? 0}px)` }}
        >
          {line(index)}
        </div>
      ))}
    </div>
  )
}
