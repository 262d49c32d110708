// What an operation that succeeded did not achieve: who does not follow, who is not closed, which events do not run.

import { consequences } from '../../model/loss/consequences.js'
import type { Command } from '../../model/operation/command.js'
import type { Loss, OperationStep } from '../../model/operation/operation.js'

/** Of several commands that do the same to the same server the last decides. */
export function lossesOf(steps: readonly OperationStep[]): readonly Loss[] {
  const last = new Map<string, OperationStep>()
  for (const step of steps)
    if (step.state === 'failed' || step.state === 'done') last.set(subjectOf(step.command), step)
  return [...last.values()]
    .filter(({ state, command }) => state === 'failed' && consequences[command.type]?.loses === true)
    .map((step) => ({ command: step.command.type, message: step.message ?? 'failed', ...serverIn(step) }))
}

const subjectOf = (command: Command): string =>
  [command.type, 'server' in command ? command.server : '', 'script' in command ? command.script : ''].join(' ')

const serverIn = ({ command }: OperationStep): Pick<Loss, 'server'> =>
  'server' in command ? { server: command.server } : {}
