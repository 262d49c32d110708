// Whatever was thrown, as plain data that crosses threads and fits a crash record.
import { sourceStack } from '../../lib/base/source-stack.js'
import type { Fault } from './wire.js'

const LONGEST_STACK = 4_000

export function describeFault(thrown: unknown): Fault {
  if (!(thrown instanceof Error)) return { reason: `threw ${render(thrown)}` }
  const reason = `${thrown.name}: ${thrown.message}`
  return thrown.stack === undefined ? { reason } : { reason, stack: sourceStack(thrown.stack).slice(0, LONGEST_STACK) }
}

function render(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return typeof thrown
  }
}
