// A user of a cluster, added or changed: its name, its password, what it may do.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { User } from '../../model/access/users.js'
import { Button } from '../../parts/basic/button.js'
import { Dialog } from '../../parts/overlay/dialog.js'
import { openPlan } from '../../plan/open-plan.js'
import { me } from '../../store/me.js'
import { addUser, changeUser } from './access-actions.js'
import { GrantChoice } from './grant-choice.js'

export interface UserDialogProps {
  readonly cluster: string
  /** Absent: a new one. */
  readonly user?: User
  readonly onClose: () => void
}

export function UserDialog({ cluster, user, onClose }: UserDialogProps) {
  const name = useSignal(user?.name ?? '')
  const password = useSignal('')
  const chosen = useSignal<ReadonlySet<string>>(new Set(user?.grants ?? ['show']))
  const id = useId()
  const grantsOfMe = me.value?.grants
  const held = grantsOfMe?.sets[grantsOfMe.clusters[cluster] ?? -1] ?? []
  const beyond = (user?.grants ?? []).filter((grant) => !held.includes(grant))
  const missing =
    name.value.trim() === ''
      ? 'The user needs a name.'
      : chosen.value.size === 0
        ? 'The user would see nothing: choose a grant.'
        : beyond.length > 0
          ? `It holds what you do not: ${beyond.join(', ')}.`
          : undefined
  /** The form stays below the plan sheet until it is done: what was typed is not lost by a refusal. */
  const save = () => {
    if (missing !== undefined) return
    const wish = { name: name.value.trim(), password: password.value, grants: chosen.value }
    openPlan(user ? changeUser(cluster, wish) : addUser(cluster, wish), onClose)
  }
  const title = user ? `Change ${user.name}` : `Add a user of ${cluster}`
  return (
    <Dialog
      title={title}
      open
      onClose={onClose}
      as="sheet"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            permission={missing === undefined ? { allowed: true } : { allowed: false, reason: missing }}
            onClick={save}
          >
            {user ? 'Change the user…' : 'Add the user…'}
          </Button>
        </>
      }
    >
      <form
        class="access-form"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        {!user && (
          <label>
            Name
            <input
              value={name}
              maxLength={128}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => {
                name.value = event.currentTarget.value
              }}
            />
          </label>
        )}
        <label for={id}>
          {user ? 'New password' : 'Password'}
          <input
            id={id}
            type="password"
            autocomplete="new-password"
            value={password}
            onInput={(event) => {
              password.value = event.currentTarget.value
            }}
          />
        </label>
        <p class="muted">
          {user
            ? 'Empty: it keeps the one that it has. A new one ends its sessions.'
            : 'Empty: it logs in by single sign-on only.'}
        </p>
        {user !== undefined && user.roles.length > 0 && (
          <p class="muted">Its roles ({user.roles.join(', ')}) are replaced by the grants that are chosen here.</p>
        )}
        <h3>What it may do on {cluster}</h3>
        <GrantChoice
          held={held}
          chosen={chosen.value}
          onChoose={(next) => {
            chosen.value = next
          }}
        />
        {missing !== undefined && <p class="muted">{missing}</p>}
      </form>
    </Dialog>
  )
}
