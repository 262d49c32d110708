// A confirmation by typing a name, for what cannot be undone.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Button } from '../basic/button.js'

export interface ConfirmNameProps {
  readonly name: string
  /** What the button does: "Fail over". */
  readonly act: string
  readonly onConfirm: () => void
  readonly busy?: boolean
}

export function ConfirmName({ name, act, onConfirm, busy = false }: ConfirmNameProps) {
  const typed = useSignal('')
  const id = useId()
  const confirm = () => {
    if (typed.value === name) onConfirm()
  }
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault()
        confirm()
      }}
    >
      <label for={id}>
        Type <strong>{name}</strong> to confirm
      </label>
      <input
        id={id}
        value={typed}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      <Button
        kind="destroying"
        busy={busy}
        onClick={confirm}
        permission={
          typed.value === name
            ? { allowed: true }
            : { allowed: false, reason: 'The name that was typed is another one.' }
        }
      >
        {act}
      </Button>
    </form>
  )
}
