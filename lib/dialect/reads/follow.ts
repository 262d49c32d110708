// Executes the steps of a read until none is left.
import { ok, type Result } from '../../base/result.js'
import type { Rows, Statement } from '../statement/statement.js'
import type { ReadStep } from './read.js'

export type LastStep = Exclude<ReadStep, { readonly type: 'ask' }>

export async function followSteps(
  first: ReadStep,
  ask: (statement: Statement) => Promise<Result<Rows>>,
): Promise<Result<LastStep>> {
  let step = first
  while (step.type === 'ask') {
    const answer = await ask(step.statement)
    if (!answer.ok) return answer
    step = step.next?.(answer.value) ?? { type: 'rows', rows: answer.value }
  }
  return ok(step)
}
