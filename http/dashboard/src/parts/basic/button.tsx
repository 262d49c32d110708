// A button: says why when it may not be used, and stays readable for the keyboard then.
import type { ComponentChildren } from 'preact'
import type { Permission } from '../../store/me.js'

export interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick: () => void
  /** What it does to the cluster: nothing that stays, interrupts clients, destroys something. */
  readonly kind?: 'plain' | 'primary' | 'interrupting' | 'destroying'
  readonly permission?: Permission
  /** Something it started is not finished. */
  readonly busy?: boolean
  /** For a button whose content is a sign. */
  readonly label?: string
  readonly pressed?: boolean
}

export function Button({ children, onClick, kind = 'plain', permission, busy = false, label, pressed }: ButtonProps) {
  const refused = permission !== undefined && !permission.allowed
  const click = () => {
    if (!refused && !busy) onClick()
  }
  return (
    <button
      type="button"
      class={`button button-${kind}`}
      onClick={click}
      aria-disabled={refused || busy}
      aria-label={label}
      aria-pressed={pressed}
      title={refused ? permission.reason : label}
    >
      {busy && <span class="busy" aria-hidden="true" />}
      {children}
    </button>
  )
}
