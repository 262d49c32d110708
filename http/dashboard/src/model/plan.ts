// What an action would do, as `plan=true` answers it.
import type { Plan as WirePlan } from '../../../client/api/generated.js'
import type { Loose } from '../../../client/api/types.js'
import { fieldsOf, listOf, numberOf, present, textOf } from './wire.js'

export interface PlanStep {
  readonly text: string
  readonly blocksWrites: boolean
  readonly expectedMs?: number
}

/** One value that would be another one; null: there is none. */
export interface PlanChange {
  readonly what: string
  readonly before: string | null
  readonly after: string | null
}

export interface Plan {
  /** What `confirm=<id>` runs, or refuses when the situation has changed. */
  readonly id?: string
  readonly kind: string
  readonly possible: boolean
  /** What could not be checked in time; it may be confirmed, and is refused then where the check says so. */
  readonly unchecked?: string
  readonly refusal?: string
  readonly steps: readonly PlanStep[]
  readonly changes: readonly PlanChange[]
  /** What else follows. */
  readonly follows: readonly string[]
  /** 0: no step blocks writes; null: no run of this cluster was measured yet. */
  readonly pauseMs: number | null
  readonly loss?: { readonly kind: string; readonly text: string }
  readonly risks: readonly string[]
  /** Null: nothing takes it back. Absent: the manager does not say. */
  readonly undo?: string | null
  readonly confirm: 'none' | 'yes' | 'name'
}

/** Undefined for a reply that is no plan. */
export function readPlan(reply: unknown): Plan | undefined {
  const wire = fieldsOf(reply as Loose<WirePlan> | undefined)
  if (typeof wire.possible !== 'boolean') return undefined
  const loss = fieldsOf(wire.loss)
  const text = textOf(loss.text)
  return present<Plan>({
    id: textOf(wire.id),
    kind: textOf(wire.kind) ?? '',
    possible: wire.possible,
    unchecked: textOf(wire.unchecked),
    refusal: textOf(wire.refusal),
    steps: listOf(wire.steps).map((step) =>
      present<PlanStep>({
        text: textOf(step.text) ?? '',
        blocksWrites: step.blocksWrites === true,
        expectedMs: numberOf(step.expectedMs),
      }),
    ),
    changes: listOf(wire.changes).map(({ what, before, after }) => ({
      what: textOf(what) ?? '',
      before: textOf(before) ?? null,
      after: textOf(after) ?? null,
    })),
    follows: textsOf(wire.follows),
    pauseMs: numberOf(wire.pauseMs) ?? null,
    loss: text === undefined ? undefined : { kind: textOf(loss.kind) ?? 'unknown', text },
    risks: textsOf(wire.risks),
    undo: wire.undo === null ? null : textOf(wire.undo),
    confirm: wire.confirm === 'none' || wire.confirm === 'name' ? wire.confirm : 'yes',
  })
}

/** A plan that is not checked may be asked to run: the manager checks it then. */
export const mayRun = ({ possible, unchecked }: Pick<Plan, 'possible' | 'unchecked'>): boolean =>
  possible || unchecked !== undefined

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/** What differs between two plans of the same request, in words; none when nothing that matters does. */
export function comparePlans(before: Plan, after: Plan): readonly string[] {
  const changes: string[] = []
  if (mayRun(before) !== mayRun(after))
    changes.push(
      mayRun(after) ? 'It is possible by now.' : `It is refused by now: ${after.refusal ?? 'no reason given'}`,
    )
  else if (!mayRun(after) && before.refusal !== after.refusal && after.refusal !== undefined)
    changes.push(`It is refused for another reason: ${after.refusal}`)
  const texts = (plan: Plan) => plan.steps.map(({ text }) => text)
  const [was, is] = [texts(before), texts(after)]
  changes.push(...is.filter((text) => !was.includes(text)).map((text) => `New step: ${text}`))
  changes.push(...was.filter((text) => !is.includes(text)).map((text) => `No longer a step: ${text}`))
  if (changes.length === 0 && was.join('\n') !== is.join('\n')) changes.push('The order of the steps has changed.')
  if (before.loss?.text !== after.loss?.text) changes.push(`Loss: ${after.loss?.text ?? 'none named'}`)
  changes.push(...after.risks.filter((risk) => !before.risks.includes(risk)).map((risk) => `New risk: ${risk}`))
  changes.push(...before.risks.filter((risk) => !after.risks.includes(risk)).map((risk) => `No longer a risk: ${risk}`))
  const values = (plan: Plan) =>
    plan.changes.map(({ what, before, after }) => `${what}: ${before ?? '—'} → ${after ?? '—'}`)
  const [had, has] = [values(before), values(after)]
  changes.push(...has.filter((text) => !had.includes(text)).map((text) => `Changes by now: ${text}`))
  changes.push(...had.filter((text) => !has.includes(text)).map((text) => `No longer changes: ${text}`))
  changes.push(
    ...after.follows.filter((text) => !before.follows.includes(text)).map((text) => `Follows by now: ${text}`),
  )
  return changes
}
