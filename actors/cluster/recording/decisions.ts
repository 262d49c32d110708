// What a message made the manager decide, as texts that two runs can be compared by. Pure.
import type { Command } from '../../../lib/model/operation/command.js'
import type { ActorCommand } from '../state/message/command.js'

/**
 * One text per decision: an operation with its servers and all commands of its plan, a command at once, the early end of an
 * operation. Events, views and files follow from these and are no decisions. Identifiers are left out: they count events.
 */
export const decisionsOf = (commands: readonly ActorCommand[] = []): readonly string[] =>
  commands.flatMap((command): readonly string[] => {
    switch (command.type) {
      case 'operate': {
        const { kind, oldPrimary, newPrimary, commands: planned } = command.plan
        const change = newPrimary === undefined ? '' : ` ${oldPrimary ?? 'none'} > ${newPrimary}`
        return [`${kind}${change}: ${planned.map(stepText).join(', ')}`]
      }
      case 'perform':
        return [`at once: ${stepText(command.command)}`]
      case 'abort':
        return ['end the running operation early']
      default:
        return []
    }
  })

const stepText = (command: Command): string =>
  `${command.type}${'server' in command ? ` ${command.server}` : ''}${'source' in command && typeof command.source === 'string' ? ` to ${command.source}` : ''}`
