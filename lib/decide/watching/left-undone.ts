// What the latest change of the primary did not achieve and the manager does not repair: a person has to. Pure.
import { DAY } from '../../base/time.js'
import type { Finding } from '../../model/finding.js'
import { consequences } from '../../model/loss/consequences.js'
import type { Memory } from '../../model/memory.js'
import { isMinor, type Operation } from '../../model/operation/operation.js'

/** So long after its end it is reported. */
const SHOWN_MS = DAY

/** The memory after an operation that ended: each change of the primary replaces what the one before left. */
export function noteUndone(memory: Memory, operation: Operation, now: number): Memory {
  if (isMinor(operation) || operation.phase !== 'succeeded') return memory
  const { undone: _, ...others } = memory
  const left = (operation.losses ?? []).filter(({ command }) => consequences[command]?.repairs === 'operator')
  if (left.length === 0) return memory.undone ? others : memory
  const texts = left.map(({ command, message }) => `${consequences[command]?.means ?? command} (${message})`)
  return { ...others, undone: { operation: operation.id, at: now, texts } }
}

export function judgeUndone({ undone }: Memory, now: number): readonly Finding[] {
  if (!undone || now - undone.at > SHOWN_MS) return []
  return [{ code: 'WARN0398', detail: `${undone.operation}: ${undone.texts.join(' ')}` }]
}
