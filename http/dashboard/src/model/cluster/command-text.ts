// What a step of an operation does, in the words of the plan: the command as the reply has it, servers by name.

import { commandText as render } from '../../../../../lib/model/command-text.js'
import type { Command } from '../../../../../lib/model/operation/command.js'
import { type Fields, textOf } from '../wire.js'

/** The type of the command where this page is older than the manager and does not know it. */
export function commandText(command: Fields, names: Readonly<Record<string, string>>): string {
  const type = textOf(command.type)
  if (type === undefined) return ''
  try {
    return render(command as unknown as Command, (id) => names[id ?? ''] ?? id ?? 'the primary') ?? type
  } catch {
    return type
  }
}
