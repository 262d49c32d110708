// What a page loads after itself: parts that many visits do not need, so that the page is small without them.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** The module, once it was loaded; undefined until then, and when it cannot be loaded (the console says why). `load` never changes. */
export function useLoaded<Module>(load: () => Promise<Module>): Module | undefined {
  const loaded = useSignal<{ readonly module: Module } | undefined>(undefined)
  useEffect(() => {
    let isGone = false
    load().then(
      (module) => {
        if (!isGone) loaded.value = { module }
      },
      (error: unknown) => console.error('A part of the page could not be loaded:', error),
    )
    return () => {
      isGone = true
    }
  }, [load, loaded])
  return loaded.value?.module
}
