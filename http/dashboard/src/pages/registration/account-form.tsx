// The account at the hosted service and the name of this manager: to register, and to ask whether it is confirmed.
import { useSignal } from '@preact/signals'
import {
  type AccountWish,
  mayConfirm,
  mayRegister,
  missingOf,
  type Registration,
} from '../../model/hosted/registration.js'
import { Button } from '../../parts/basic/button.js'
import { openPlan } from '../../plan/open-plan.js'
import { may } from '../../store/me.js'
import { confirm, register } from './registration-actions.js'

export function AccountForm({ registration }: { readonly registration: Registration }) {
  const email = useSignal('')
  const password = useSignal('')
  const uri = useSignal(registration.uri ?? '')
  const wish: AccountWish = { email: email.value.trim(), password: password.value, uri: uri.value.trim() }
  const missing = missingOf(wish)
  const granted = may('global-grant')
  const permission = granted.allowed && missing !== undefined ? { allowed: false, reason: missing } : granted
  /** The password leaves the form when the manager has it. */
  const done = () => {
    password.value = ''
  }
  const isFirst = mayRegister(registration)
  const send = () => {
    if (permission.allowed) openPlan(isFirst ? register(wish) : confirm(wish), done)
  }
  return (
    <form
      class="account-form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label>
        Address of the account
        <input
          type="email"
          value={email}
          placeholder="dba@acme.example"
          onInput={(event) => {
            email.value = event.currentTarget.value
          }}
        />
      </label>
      <label>
        Its password
        <input
          type="password"
          autocomplete="off"
          value={password}
          onInput={(event) => {
            password.value = event.currentTarget.value
          }}
        />
      </label>
      <label>
        Name of this manager
        <input
          value={uri}
          placeholder="acme.paris.a"
          spellcheck={false}
          onInput={(event) => {
            uri.value = event.currentTarget.value
          }}
        />
      </label>
      <p class="row">
        {isFirst && (
          <Button kind="primary" permission={permission} onClick={send}>
            Register…
          </Button>
        )}
        {mayConfirm(registration) && registration.state !== 'idle' && (
          <Button permission={permission} onClick={() => openPlan(confirm(wish), done)}>
            {registration.state === 'complete' ? 'Connect again…' : 'Ask whether it is confirmed…'}
          </Button>
        )}
      </p>
      {missing !== undefined && <p class="muted">{missing}</p>}
    </form>
  )
}
