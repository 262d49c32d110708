// Everything that can be done with one server, as a list for keyboard, finger and mouse: the same zones as for dragging, and its other actions.
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Server } from '../../../model/cluster/server.js'
import { Dialog } from '../../../parts/overlay/dialog.js'
import type { Action } from '../../../plan/action.js'
import { permissionFor } from '../../../plan/action-button.js'
import { openPlan } from '../../../plan/open-plan.js'
import { me } from '../../../store/me.js'
import { type Offer, offersOf } from '../actions/server-actions.js'
import { stateLine } from './words.js'
import type { Zone } from './zones.js'

export interface ServerMenuProps {
  readonly cluster: string
  readonly server: Server
  readonly zones: readonly Zone[]
  readonly only?: 'moves' | undefined
  readonly onClose: () => void
}

export function ServerMenu({ cluster, server, zones, only, onClose }: ServerMenuProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector<HTMLElement>('.menu-item:not([aria-disabled="true"])')?.focus()
  }, [])
  const mayAct = me.value?.readOnly === false
  const moves = zones.map(({ name, action, refused }) => ({ name, action, refused }))
  const others = only === 'moves' ? [] : offersOf(cluster, server)
  const choose = (action: Action) => {
    onClose()
    openPlan(action)
  }
  return (
    <Dialog title={server.name} open onClose={onClose}>
      <div class="server-menu" role="group" aria-label={`Actions of ${server.name}`} ref={list} onKeyDown={moveFocus}>
        <p class="muted">{stateLine(server)}</p>
        <a class="menu-item" href={`/c/${encodeURIComponent(cluster)}/s/${encodeURIComponent(server.name)}`}>
          Open its page
        </a>
        {mayAct && moves.length > 0 && <Group title="Move" offers={moves} onChoose={choose} />}
        {mayAct &&
          (['harmless', 'interrupting', 'destroying'] as const).map((kind) => {
            const offers = others.filter(({ action }) => action.kind === kind).map(named)
            return offers.length > 0 && <Group key={kind} title={titles[kind]} offers={offers} onChoose={choose} />
          })}
      </div>
    </Dialog>
  )
}

const titles = { harmless: 'Harmless', interrupting: 'Interrupting', destroying: 'Destroying' } as const

const named = (offer: Offer): Named => ({ name: offer.action.title, action: offer.action, refused: offer.refused })

interface Named {
  readonly name: string
  readonly action: Action
  readonly refused?: string | undefined
}

interface GroupProps {
  readonly title: string
  readonly offers: readonly Named[]
  readonly onChoose: (action: Action) => void
}

const Group = ({ title, offers, onChoose }: GroupProps) => (
  <section aria-label={title}>
    <h3>{title}</h3>
    {offers.map(({ name, action, refused }) => {
      const { allowed, reason } = permissionFor(action, refused)
      return (
        <button
          key={name}
          type="button"
          class={`menu-item menu-${action.kind}`}
          aria-disabled={!allowed}
          onClick={() => allowed && onChoose(action)}
        >
          {name}
          {!allowed && <small>{reason}</small>}
        </button>
      )
    })}
  </section>
)

function moveFocus(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('.menu-item')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  items[(at + step + items.length) % items.length]?.focus()
  event.preventDefault()
}
