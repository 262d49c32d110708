// Tabs: one of several views of the same thing. Views with an address of their own are links in the shell's navigation instead.
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab {
  readonly key: string
  readonly title: string
  readonly count?: number
}

export interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly current: string
  readonly onChoose: (key: string) => void
  readonly children: ComponentChildren
}

export function Tabs({ label, tabs, current, onChoose, children }: TabsProps) {
  const id = useId()
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex(({ key }) => key === current)
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }
    const next = tabs[(steps[event.key] ?? Number.NaN) % tabs.length]
    if (!next) return
    event.preventDefault()
    onChoose(next.key)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.key)}"]`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ key, title, count }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            data-tab={key}
            aria-selected={key === current}
            aria-controls={id}
            tabIndex={key === current ? 0 : -1}
            onClick={() => onChoose(key)}
          >
            {title}
            {count !== undefined && <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={id} aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </>
  )
}
