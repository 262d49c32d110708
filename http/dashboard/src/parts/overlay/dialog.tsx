// A dialog of the browser: focus stays in it, Esc and a click beside it close it. A sheet is one that stands at the side.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

export interface DialogProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** At the bottom: the buttons. */
  readonly actions?: ComponentChildren
  /** `sheet`: at the side, as high as the window. */
  readonly as?: 'dialog' | 'sheet'
}

export function Dialog({ title, open, onClose, children, actions, as = 'dialog' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (open && !dialog.open) dialog.showModal()
    if (!open && dialog.open) dialog.close()
  }, [open])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, as the browser does
    <dialog
      ref={ref}
      class={as}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) ref.current?.close()
      }}
    >
      {open && (
        <div class="dialog-inside">
          <header class="dialog-head">
            <h2>{title}</h2>
            <button type="button" class="button button-sign" aria-label="Close" onClick={() => ref.current?.close()}>
              ✕
            </button>
          </header>
          <div class="dialog-body">{children}</div>
          {actions && <footer class="dialog-actions">{actions}</footer>}
        </div>
      )}
    </dialog>
  )
}
