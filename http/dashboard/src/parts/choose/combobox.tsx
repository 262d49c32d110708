// A field that offers what fits as one types, after the ARIA pattern of a combobox with a list.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useId } from 'preact/hooks'
import { narrow } from './narrow.js'

export interface ComboboxProps<T> {
  readonly label: string
  readonly options: readonly T[]
  readonly nameOf: (option: T) => string
  readonly onChoose: (option: T) => void
  readonly show?: (option: T) => ComponentChildren
  readonly placeholder?: string
  /** The list is always open: in a dialog of its own. */
  readonly open?: boolean
  readonly autofocus?: boolean
}

const SHOWN = 50

export function Combobox<T>(props: ComboboxProps<T>) {
  const { label, options, nameOf, onChoose, show = nameOf, placeholder, open = false, autofocus = false } = props
  const id = useId()
  const typed = useSignal('')
  const at = useSignal(0)
  const focused = useSignal(autofocus)
  const fitting = narrow(options, typed.value, nameOf)
  const shown = fitting.slice(0, SHOWN)
  const isOpen = open || focused.value
  const choose = (option: T) => {
    typed.value = ''
    at.value = 0
    onChoose(option)
  }
  const key = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const { length } = shown
    if (event.key === 'ArrowDown' && length > 0) at.value = (at.value + 1) % length
    else if (event.key === 'ArrowUp' && length > 0) at.value = (at.value - 1 + length) % length
    else if (event.key === 'Enter') {
      const option = shown[at.value]
      if (option !== undefined) choose(option)
    } else return
    event.preventDefault()
  }
  return (
    <div class="combobox">
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && shown.length > 0 ? `${id}-${at.value}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        autofocus={autofocus}
        value={typed}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          at.value = 0
        }}
        onFocus={() => {
          focused.value = true
        }}
        onBlur={() => {
          focused.value = false
        }}
        onKeyDown={key}
      />
      <div id={id} role="listbox" aria-label={label} class="options" hidden={!isOpen}>
        {shown.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={nameOf(option)}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at.value}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option)}
          >
            {show(option)}
          </div>
        ))}
        {fitting.length === 0 && <p class="empty">Nothing fits.</p>}
        {fitting.length > SHOWN && <p class="muted">{fitting.length - SHOWN} more; type to narrow.</p>}
      </div>
    </div>
  )
}
