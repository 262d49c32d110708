// The control of an action: opens its plan sheet. Absent for users that may change nothing; with the reason where a grant is missing.
import type { ComponentChildren } from 'preact'
import { Button } from '../parts/basic/button.js'
import { may, me } from '../store/me.js'
import { type Action, buttonKinds } from './action.js'
import { openPlan } from './open-plan.js'

export interface ActionButtonProps {
  readonly action: Action
  /** In place of the action's title. */
  readonly children?: ComponentChildren
  /** Why it cannot be done now, for any user. */
  readonly refused?: string | undefined
}

export function ActionButton({ action, children, refused }: ActionButtonProps) {
  if (me.value?.readOnly !== false) return null
  const permission = permissionFor(action, refused)
  return (
    <Button
      kind={buttonKinds[action.kind]}
      permission={permission}
      onClick={() => openPlan(action)}
      {...(children === undefined ? {} : { label: action.title })}
    >
      {children ?? action.title}
    </Button>
  )
}

/** The grant first: a reason that someone else could remove is of no use to a user who may not act. */
export function permissionFor(action: Action, refused?: string) {
  const permission = may(action.grant, action.params?.cluster)
  return permission.allowed && refused !== undefined ? { allowed: false, reason: refused } : permission
}
