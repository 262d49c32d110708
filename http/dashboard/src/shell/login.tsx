// The login page: a password, or single sign-on where the manager has a provider.
import { useSignal } from '@preact/signals'
import type { TargetedSubmitEvent } from 'preact'
import { useEffect } from 'preact/hooks'
import { beginSignOn, endedBecause, logIn } from '../client/session.js'

export function Login() {
  const problem = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy.value) return
    const form = new FormData(event.currentTarget)
    busy.value = true
    problem.value = undefined
    const failure = await logIn(String(form.get('username')), String(form.get('password')))
    busy.value = false
    problem.value = failure && wordsFor(failure)
  }
  useEffect(() => {
    document.title = 'Log in · Manager'
  }, [])
  return (
    <main class="login">
      <form onSubmit={submit} aria-label="Log in">
        <h1>
          <i class="bar-sign" aria-hidden="true" /> Manager
        </h1>
        {endedBecause.value !== undefined && <p class="login-why">{endedBecause}</p>}
        <label>
          User
          <input name="username" autocomplete="username" required autofocus />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <p class="login-problem" role="alert">
          {problem}
        </p>
        <button class="button button-primary" type="submit" aria-disabled={busy}>
          Log in
        </button>
        <SignOn />
      </form>
    </main>
  )
}

function wordsFor({ status, text, hint }: { status: number; text: string; hint?: string }): string {
  if (status === 401) return 'User or password is wrong.'
  return hint === undefined ? text : `${text} ${hint}`
}

/** Offered when the manager has a provider. */
function SignOn() {
  const offered = useSignal(false)
  useEffect(() => {
    void beginSignOn().then((address) => {
      offered.value = address !== undefined
    })
  }, [offered])
  const go = async () => {
    const address = await beginSignOn()
    if (address !== undefined) location.assign(address)
  }
  return offered.value ? (
    <button type="button" class="button" onClick={() => void go()}>
      Log in by single sign-on
    </button>
  ) : null
}
