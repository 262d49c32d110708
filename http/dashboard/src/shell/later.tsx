// A part of the shell that most visits do not need: loaded when it is first shown.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'

/** Says so where it cannot be loaded. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const part = signal<ComponentType<Props> | 'failed' | undefined>(undefined)
  return (props) => {
    useEffect(() => {
      load().then(
        (loaded) => {
          part.value = loaded
        },
        () => {
          part.value = 'failed'
        },
      )
    }, [])
    const Part = part.value
    if (typeof Part === 'function') return <Part {...props} />
    return <p class="starting">{Part ? 'This part could not be loaded. Reload the page.' : 'Loading…'}</p>
  }
}
