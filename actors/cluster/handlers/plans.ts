// Handlers of plans: what work would do. Pure; nothing is changed or logged.
import { previewWork } from '../../../lib/decide/upkeep/preview-work.js'
import { situationOf } from '../state/evaluate.js'
import { defer, type Handlers } from '../state/outcome.js'
import { listServices } from '../state/services.js'
import { refuseWhileRolling } from './rolls.js'

export const planHandlers = {
  'plan-work': (state, { work }, arrival) => {
    const scene = {
      situation: situationOf(state, arrival.now),
      services: listServices(state),
      rolling: refuseWhileRolling(state),
    }
    return defer(state, arrival, { type: 'plan-work', work, preview: previewWork(scene, work) })
  },
} as const satisfies Partial<Handlers>
