// Completes the plan of work with what only its orchestrator knows: whether it could act at all.
import { ok, type Result } from '../../../lib/base/result.js'
import { refusedPreview } from '../../../lib/decide/upkeep/preview-work.js'
import type { Preview, Work } from '../../../lib/model/operation/preview.js'
import type { Rolling } from '../services/rolling.js'
import type { Services } from '../services/services.js'

/** A running cluster whose orchestrator is asked. */
export interface Planning {
  readonly services: Pick<Services, 'canRun'>
  readonly rolling: Pick<Rolling, 'canRoll'>
}

export async function planWork(
  { services, rolling }: Planning,
  { work, preview }: { readonly work: Work; readonly preview: Preview },
): Promise<Result<Preview>> {
  if (!preview.possible) return ok(preview)
  const able = await canDo({ services, rolling }, work)
  return ok(able.ok ? preview : refusedPreview(preview.kind, able.failure.message))
}

function canDo({ services, rolling }: Planning, work: Work): Promise<Result<void>> | Result<void> {
  if (work.type === 'roll') return rolling.canRoll(work.kind)
  return work.type === 'services' ? services.canRun(work) : ok(undefined)
}
