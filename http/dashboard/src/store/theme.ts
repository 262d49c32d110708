// Light, dark or as the system says, kept in this browser.
import { effect, signal } from '@preact/signals'

export type Theme = 'auto' | 'light' | 'dark'

const key = 'manager-theme'
const themes: readonly Theme[] = ['auto', 'light', 'dark']

export const theme = signal<Theme>('auto')

/** Reads the kept choice and follows changes of it. */
export function startTheme(): void {
  const kept = read()
  if (kept !== undefined) theme.value = kept
  effect(() => {
    document.documentElement.dataset.theme = theme.value
    try {
      localStorage.setItem(key, theme.value)
    } catch {
      // A browser that keeps nothing: the choice lasts as long as the page.
    }
  })
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto'
}

function read(): Theme | undefined {
  try {
    return themes.find((each) => each === localStorage.getItem(key))
  } catch {
    return undefined
  }
}
