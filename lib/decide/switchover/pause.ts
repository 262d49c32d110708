// How long changes of the primary block writes: measured in those that ended, expected of the next one. Pure.
import type { Memory, WritePause } from '../../model/memory.js'
import type { Operation, OperationStep } from '../../model/operation/operation.js'
import type { Preview } from '../../model/operation/preview.js'

/** Kept of a cluster: the usual duration changes with its load and its servers. */
const KEPT = 10

/** The memory with the pause of an operation that has just ended, where it opened a new primary. */
export function notePause(memory: Memory, operation: Operation): Memory {
  const pause = measurePause(operation)
  return pause ? { ...memory, pauses: [...(memory.pauses ?? []), pause].slice(-KEPT) } : memory
}

/**
 * From the freeze of the old primary (a switchover) or the begin of the operation (a failover: its primary was down before)
 * until the new primary was open.
 */
export function measurePause({ kind, phase, steps, startedAt, endedAt }: Operation): WritePause | undefined {
  if (phase !== 'succeeded' || (kind !== 'failover' && kind !== 'switchover')) return undefined
  const opened = endOf(steps.findLast(({ command, state }) => command.type === 'make-writable' && state === 'done'))
  const begun = kind === 'failover' ? startedAt : steps.find(({ command }) => command.type === 'freeze')?.startedAt
  if (opened === undefined || begun === undefined) return undefined
  return { kind, at: endedAt ?? opened, ms: Math.max(0, Math.round(opened - begun)) }
}

const endOf = (step: OperationStep | undefined): number | undefined =>
  step?.startedAt === undefined || step.tookMs === undefined ? undefined : step.startedAt + step.tookMs

/** The preview with the pause to expect of it; null where none was measured. */
export function withPause(preview: Preview, memory: Pick<Memory, 'pauses'>): Preview {
  const blocking = preview.steps.filter(({ blocksWrites }) => blocksWrites).length
  if (blocking === 0) return { ...preview, pauseMs: 0 }
  const { kind } = preview
  if (kind === 'failover' || kind === 'switchover') return { ...preview, pauseMs: expectPause(memory, kind) }
  const each = kind.startsWith('rolling-') ? expectPause(memory, 'switchover') : null
  return { ...preview, pauseMs: each === null ? null : each * blocking }
}

/** The median of what was measured; null when nothing was. */
function expectPause({ pauses = [] }: Pick<Memory, 'pauses'>, kind: WritePause['kind']): number | null {
  const measured = pauses.filter((pause) => pause.kind === kind).map(({ ms }) => ms)
  return measured.toSorted((a, b) => a - b)[Math.floor(measured.length / 2)] ?? null
}
