// Who is logged in and what this user may do, so that a control that would be refused is not offered.
import { signal } from '@preact/signals'
import type { Me } from '../../../client/api/generated.js'
import { call } from '../client/call.js'
import type { Failure } from '../client/failure.js'

export type { Me }

/** Where history that is longer than the manager's own is shown; null: nowhere. */
export type HistoryPlaces = Me['history']

export const me = signal<Me | undefined>(undefined)

export async function loadMe(): Promise<Failure | undefined> {
  const reply = await call('GET /api/me')
  if (!reply.ok) return reply.failure
  me.value = reply.value
  return undefined
}

export interface Permission {
  readonly allowed: boolean
  /** Why not, for the control's description. */
  readonly reason?: string
}

/** Whether the user has one of the grants, for the cluster when one is named. */
export function may(grants: string | readonly string[], cluster?: string): Permission {
  const who = me.value
  if (who?.readOnly) return { allowed: false, reason: `${who.user} may only read.` }
  return maySee(grants, cluster)
}

/** Whether the user may read what needs one of the grants; none: any user who is logged in. */
export function maySee(grants: string | readonly string[], cluster?: string): Permission {
  const who = me.value
  if (!who) return { allowed: false, reason: 'Your grants are not known yet.' }
  const wanted = typeof grants === 'string' ? [grants] : grants
  const held = cluster === undefined ? who.grants.server : (who.grants.sets[who.grants.clusters[cluster] ?? -1] ?? [])
  if (wanted.length === 0 || wanted.some((grant) => held.includes(grant))) return { allowed: true }
  return { allowed: false, reason: `Needs the grant ${wanted.join(' or ')}.` }
}
