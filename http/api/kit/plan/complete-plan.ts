// Completes a preview to the plan that `plan=true` answers: its id, how it is confirmed, and how it is taken back. Pure.

import type { Plan, PlanLoss, Preview } from '../../../../lib/model/operation/preview.js'
import { planId } from '../../../../lib/model/plan-id.js'
import type { Route } from '../route.js'
import { consequenceOf } from './consequences.js'

/** What was asked for, as the gateway knows it. */
export interface PlanSubject {
  readonly route: Pick<Route, 'id'>
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** Id of the server that the path names, however it spells it. */
  readonly server: string | undefined
  /** Fields whose values are secrets: no id is made of them. */
  readonly secrets?: readonly string[]
}

export function completePlan(subject: PlanSubject, preview: Preview): Plan {
  const { route, server, secrets = [] } = subject
  const { confirm = 'yes', undo = null, removes } = consequenceOf(route.id) ?? {}
  const cluster = (subject.params as { readonly cluster?: string } | undefined)?.cluster ?? null
  const loss: PlanLoss = preview.loss ?? lossOf(preview, removes)
  const lossy = loss.kind !== 'none'
  return {
    ...preview,
    id: preview.id ?? planId({ kind: preview.kind, cluster, wish: wishOf(subject, secrets) }, preview),
    judgement: judgementOf(preview),
    cluster,
    ...(server === undefined ? {} : { server }),
    changes: preview.changes ?? [],
    follows: preview.follows ?? [],
    pauseMs: preview.steps.some(({ blocksWrites }) => blocksWrites) ? (preview.pauseMs ?? null) : 0,
    loss,
    undo:
      preview.possible || preview.unchecked !== undefined
        ? (preview.undo ?? (typeof undo === 'function' ? undo(preview) : undo))
        : null,
    lossy,
    confirm: lossy ? 'name' : confirm,
  }
}

const judgementOf = ({ possible, unchecked }: Preview): Plan['judgement'] =>
  possible ? 'possible' : unchecked === undefined ? 'refused' : 'unchecked'

function lossOf(preview: Preview, removes: string | undefined): PlanLoss {
  if (judgementOf(preview) === 'refused') return { kind: 'none', text: 'Nothing is done.' }
  return removes ? { kind: 'removal', text: removes } : { kind: 'none', text: 'Nothing is lost.' }
}

/** How the answer is given, and what names the server in another way, are no part of the wish. */
const apart: ReadonlySet<string> = new Set(['plan', 'confirm', 'wait', 'cluster', 'server', 'port'])

function wishOf({ route, params, query, body, server }: PlanSubject, secrets: readonly string[]): unknown {
  const fields = { ...fieldsOf(params), ...fieldsOf(query), ...fieldsOf(body) }
  const kept = Object.entries(fields).filter(
    ([name, value]) => !apart.has(name) && !secrets.includes(name) && value !== undefined,
  )
  return { action: route.id, server, ...Object.fromEntries(kept) }
}

const fieldsOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})
