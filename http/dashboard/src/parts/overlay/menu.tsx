// A menu below a button: a popover of the browser, moved through by arrow keys and first letters.

import { useSignal } from '@preact/signals'
import type { ComponentChildren, TargetedKeyboardEvent, TargetedToggleEvent } from 'preact'
import { useId, useRef } from 'preact/hooks'
import type { Permission } from '../../store/me.js'

export interface MenuItem {
  readonly text: string
  readonly onChoose: () => void
  readonly permission?: Permission
  readonly kind?: 'plain' | 'interrupting' | 'destroying'
  /** A heading above this item begins a group. */
  readonly group?: string
  readonly checked?: boolean
}

export interface MenuProps {
  readonly label: string
  readonly children: ComponentChildren
  /** Asked when it opens. */
  readonly items: () => readonly MenuItem[]
  /** The key that opens it, as of any control with one. */
  readonly shortcut?: string
}

export function Menu({ label, children, items, shortcut }: MenuProps) {
  const id = useId()
  const isOpen = useSignal(false)
  const ref = useRef<HTMLDivElement>(null)
  const choose = (item: MenuItem) => {
    if (item.permission && !item.permission.allowed) return
    ref.current?.hidePopover()
    item.onChoose()
  }
  const toggling = (event: TargetedToggleEvent<HTMLDivElement>) => {
    isOpen.value = event.newState === 'open'
  }
  const toggled = (event: TargetedToggleEvent<HTMLDivElement>) => {
    if (event.newState === 'open') itemsOf(ref.current)[0]?.focus()
  }
  return (
    <>
      <button
        type="button"
        class="button"
        popovertarget={id}
        aria-haspopup="menu"
        aria-label={label}
        data-key={shortcut}
      >
        {children}
      </button>
      <div
        ref={ref}
        id={id}
        popover="auto"
        class="menu"
        role="menu"
        aria-label={label}
        onBeforeToggle={toggling}
        onToggle={toggled}
        onKeyDown={move}
      >
        {(isOpen.value ? items() : []).map((item) => [
          item.group !== undefined && (
            <p class="menu-group" role="presentation" key={`${item.text} group`}>
              {item.group}
            </p>
          ),
          <button
            key={item.text}
            type="button"
            tabIndex={-1}
            role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
            {...(item.checked === undefined ? {} : { 'aria-checked': item.checked })}
            aria-disabled={item.permission ? !item.permission.allowed : false}
            class={`menu-item menu-${item.kind ?? 'plain'}`}
            onClick={() => choose(item)}
          >
            {item.text}
            {item.permission && !item.permission.allowed && <small>{item.permission.reason}</small>}
          </button>,
        ])}
      </div>
    </>
  )
}

const itemsOf = (menu: HTMLElement | null): readonly HTMLElement[] =>
  menu ? [...menu.querySelectorAll<HTMLElement>('.menu-item')] : []

function move(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  const items = itemsOf(event.currentTarget)
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = nextItem(event.key, at, items)
  if (next === undefined) return
  event.preventDefault()
  items[next]?.focus()
}

function nextItem(key: string, at: number, items: readonly HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % items.length
  if (key === 'ArrowUp') return (at - 1 + items.length) % items.length
  if (key === 'Home') return 0
  if (key === 'End') return items.length - 1
  if (key.length !== 1) return undefined
  const ordered = [...items.slice(at + 1), ...items.slice(0, at + 1)]
  const found = ordered.find((item) => item.textContent?.toLowerCase().startsWith(key.toLowerCase()))
  return found && items.indexOf(found)
}
