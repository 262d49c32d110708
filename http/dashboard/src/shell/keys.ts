// The keys of every page. A control names its own key in `data-key`; those of the shell are one table, which the help shows.

export interface Key {
  readonly keys: string
  readonly does: string
}

/** What `g` and a second key open is read from the pages. */
export const shellKeys: readonly Key[] = [
  { keys: '/', does: 'Search clusters' },
  { keys: 'g f', does: 'The fleet' },
  { keys: 'g c', does: 'Go to a cluster by name' },
  { keys: '.', does: 'Actions of what is shown' },
  { keys: 'e', does: 'Explain: would it fail over, and why' },
  { keys: 't', does: 'Table or picture' },
  { keys: '?', does: 'This help' },
  { keys: 'Esc', does: 'Close, leave a field' },
]

/** A second key counts for so long. */
const CHORD_MS = 1_500

export interface KeyPress {
  readonly key: string
  readonly at: number
  /** The focus is where text is written. */
  readonly inField: boolean
  readonly modified: boolean
}

/** Keys pressed so far → what was meant: 'g c', '/', '?'; undefined while it means nothing. Pure but for its memory of a `g`. */
export function createChords(): (press: KeyPress) => string | undefined {
  let g: number | undefined
  return ({ key, at, inField, modified }) => {
    if (inField || modified || key.length !== 1) return undefined
    const isSecond = g !== undefined && at - g < CHORD_MS
    g = key === 'g' && !isSecond ? at : undefined
    if (isSecond) return `g ${key}`
    return key === 'g' ? undefined : key
  }
}

/** Listens until the signal. */
export function followKeys(onKey: (keys: string) => boolean, signal: AbortSignal): void {
  const chords = createChords()
  addEventListener(
    'keydown',
    (event) => {
      const target = event.target instanceof HTMLElement ? event.target : undefined
      const inField = target?.matches('input, select, textarea, [contenteditable]') ?? false
      if (event.key === 'Escape' && inField) target?.blur()
      const modified = event.ctrlKey || event.metaKey || event.altKey
      const keys = chords({ key: event.key, at: event.timeStamp, inField, modified })
      if (keys === undefined || document.querySelector('dialog[open]')) return
      if (onKey(keys)) event.preventDefault()
    },
    { signal },
  )
}

/** Clicks the control that names the key; false when the page has none. */
export function pressControl(key: string): boolean {
  const control = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
  control?.click()
  return control !== null
}
