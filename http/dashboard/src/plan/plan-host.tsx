// Where the plan sheet appears; it is loaded when the first one is opened.
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { sheet } from './opened.js'

export function PlanHost() {
  const loaded = useSignal<ComponentType | 'failed' | undefined>(undefined)
  const isOpen = sheet.value !== undefined
  useEffect(() => {
    if (!isOpen || loaded.peek() !== undefined) return
    import('./plan-sheet.js').then(
      ({ PlanSheet }) => {
        loaded.value = () => <PlanSheet />
      },
      () => {
        loaded.value = 'failed'
      },
    )
  }, [isOpen, loaded])
  if (loaded.value === 'failed' && isOpen)
    return <p role="alert">The plan sheet could not be loaded. Nothing was done. Reload the page.</p>
  const Loaded = loaded.value
  return typeof Loaded === 'function' ? <Loaded /> : null
}
