// An explanation beside a word, shown on hover, on focus and by a tap.
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

export interface TooltipProps {
  readonly children: ComponentChildren
  readonly text: ComponentChildren
}

export function Tooltip({ children, text }: TooltipProps) {
  const id = useId()
  const tip = useRef<HTMLSpanElement>(null)
  const show = () => tip.current?.showPopover()
  const hide = () => tip.current?.hidePopover()
  return (
    <>
      <button
        type="button"
        class="explained"
        popovertarget={id}
        aria-describedby={id}
        onMouseEnter={show}
        onMouseLeave={hide}
        onFocus={show}
        onBlur={hide}
      >
        {children}
      </button>
      <span ref={tip} id={id} popover="hint" class="tip" role="tooltip">
        {text}
      </span>
    </>
  )
}
