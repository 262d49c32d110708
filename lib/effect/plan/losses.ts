// What an operation that succeeded did not achieve: who does not follow, who is not closed, where writes are not routed.
import type { CommandType } from '../../model/operation/command.js'
import type { Loss, OperationStep } from '../../model/operation/operation.js'

/** Best-effort commands whose failure leaves the cluster short of what was asked for. */
const promised: ReadonlySet<CommandType> = new Set(['repoint', 'start-replication', 'unfreeze', 'route-writes'])

/** Of several commands that do the same to the same server the last decides. */
export function lossesOf(steps: readonly OperationStep[]): readonly Loss[] {
  const last = new Map<string, OperationStep>()
  for (const step of steps)
    if (step.state === 'failed' || step.state === 'done') last.set(`${step.command.type} ${serverOf(step)}`, step)
  return [...last.values()]
    .filter(({ state, command }) => state === 'failed' && promised.has(command.type))
    .map((step) => ({ command: step.command.type, message: step.message ?? 'failed', ...serverIn(step) }))
}

const serverOf = ({ command }: OperationStep): string => ('server' in command ? command.server : '')

const serverIn = ({ command }: OperationStep): Pick<Loss, 'server'> =>
  'server' in command ? { server: command.server } : {}
