// A new API token: some of the user's own grants on some clusters, for a time; its text is shown once, in this dialog only.
import { useSignal } from '@preact/signals'
import { wordsOf } from '../../model/access/grants.js'
import { readToken } from '../../model/access/users.js'
import { fieldsOf } from '../../model/wire.js'
import { Button } from '../../parts/basic/button.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Dialog } from '../../parts/overlay/dialog.js'
import { openPlan } from '../../plan/open-plan.js'
import { sheet } from '../../plan/opened.js'
import type { Me } from '../../store/me.js'
import { createToken } from './access-actions.js'
import { GrantChoice } from './grant-choice.js'

export interface TokenDialogProps {
  readonly who: Me
  readonly onClose: () => void
}

const lengths = [
  [0, 'as the manager is set to'],
  [1, '1 day'],
  [30, '30 days'],
  [120, '120 days'],
  [365, '1 year'],
  [-1, 'until it is revoked'],
] as const

export function TokenDialog({ who, onClose }: TokenDialogProps) {
  const label = useSignal('')
  const everything = useSignal(false)
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const clusters = useSignal('')
  const days = useSignal(0)
  const secret = useSignal<string | undefined>(undefined)
  const held = [...new Set([...who.grants.server, ...who.grants.sets.flat()])]
  const names = clusters.value.split(/[\s,]+/).filter(Boolean)
  const unknown = names.filter((name) => !Object.hasOwn(who.grants.clusters, name))
  const missing =
    label.value.trim() === ''
      ? 'The token needs a label.'
      : unknown.length > 0
        ? `You see no cluster ${unknown.join(', ')}.`
        : !everything.value && chosen.value.size === 0
          ? 'The token would open nothing: choose a grant.'
          : undefined
  /** The form stays below the plan sheet until it is done; then the text of the token takes the place of both. */
  const create = () => {
    if (missing !== undefined || secret.value !== undefined) return
    const grants = everything.value ? '' : wordsOf(chosen.value)
    const wish = { label: label.value.trim(), grants, clusters: names, expireDays: days.value }
    openPlan(createToken(wish), (answer) => {
      secret.value = readToken(fieldsOf(answer))?.secret
      sheet.value = undefined
    })
  }
  if (secret.value !== undefined)
    return (
      <Dialog
        title={`The token ${label.value}`}
        open
        onClose={onClose}
        as="sheet"
        actions={<Button onClick={onClose}>Close; I have copied it</Button>}
      >
        <p>
          <strong>It is shown once.</strong> The manager keeps a digest of it only: copy it to where it is used now.
        </p>
        <CodeBlock text={secret.value} label="The text of the token" />
        <p class="muted">A request sends it as: Authorization: Bearer, a blank, the text.</p>
      </Dialog>
    )
  return (
    <Dialog
      title="Create an API token"
      open
      onClose={onClose}
      as="sheet"
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            permission={missing === undefined ? { allowed: true } : { allowed: false, reason: missing }}
            onClick={create}
          >
            Create the token…
          </Button>
        </>
      }
    >
      <form
        class="access-form"
        onSubmit={(event) => {
          event.preventDefault()
          create()
        }}
      >
        <label>
          Label
          <input
            value={label}
            maxLength={64}
            placeholder="nightly report"
            onInput={(event) => {
              label.value = event.currentTarget.value
            }}
          />
        </label>
        <label>
          Clusters
          <input
            value={clusters}
            placeholder="every cluster"
            spellcheck={false}
            onInput={(event) => {
              clusters.value = event.currentTarget.value
            }}
          />
        </label>
        <label>
          Valid for
          <select
            value={String(days.value)}
            onChange={(event) => {
              days.value = Number(event.currentTarget.value)
            }}
          >
            {lengths.map(([value, text]) => (
              <option key={value} value={String(value)}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <h3>What it may do</h3>
        <label class="access-check">
          <input
            type="checkbox"
            checked={everything.value}
            onChange={(event) => {
              everything.value = event.currentTarget.checked
            }}
          />
          Everything that {who.user} may, now and later
        </label>
        {!everything.value && (
          <GrantChoice
            held={held}
            chosen={chosen.value}
            onChoose={(next) => {
              chosen.value = next
            }}
          />
        )}
        {missing !== undefined && <p class="muted">{missing}</p>}
      </form>
    </Dialog>
  )
}
