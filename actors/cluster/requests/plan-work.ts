// Completes the plan of work with what is known only outside of decisions: whether its orchestrator could act at all, and whether
// what is stored comes to the point of a recovery.
import { ok, type Result } from '../../../lib/base/result.js'
import { refusedPreview } from '../../../lib/decide/upkeep/preview-work.js'
import type { Preview, Work } from '../../../lib/model/operation/preview.js'
import type { ClusterRecovery } from '../recovery/cluster-recovery.js'
import type { Rolling } from '../services/rolling.js'
import type { Services } from '../services/services.js'

/** A running cluster whose orchestrator and stored logs are asked. */
export interface Planning {
  readonly services: Pick<Services, 'canRun'>
  readonly rolling: Pick<Rolling, 'canRoll'>
  readonly wholeRecovery: Pick<ClusterRecovery, 'reaches'>
}

export async function planWork(
  actor: Planning,
  { work, preview }: { readonly work: Work; readonly preview: Preview },
): Promise<Result<Preview>> {
  if (!preview.possible) return ok(preview)
  const able = await canDo(actor, work)
  return ok(able.ok ? preview : refusedPreview(preview.kind, able.failure.message))
}

function canDo({ services, rolling, wholeRecovery }: Planning, work: Work): Promise<Result<void>> | Result<void> {
  if (work.type === 'recovery') return wholeRecovery.reaches(work.wish)
  if (work.type === 'roll') return rolling.canRoll(work.kind)
  return work.type === 'services' ? services.canRun(work) : ok(undefined)
}
