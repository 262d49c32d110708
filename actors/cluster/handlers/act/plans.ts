// Handlers of plans: what work would do. Pure; nothing is changed or logged.
import { previewBackup } from '../../../../lib/decide/backup/preview.js'
import { previewRecovery } from '../../../../lib/decide/backup/recovery.js'
import { planRelocate } from '../../../../lib/decide/repair/relocate.js'
import { withPause } from '../../../../lib/decide/switchover/pause.js'
import { previewWork } from '../../../../lib/decide/upkeep/preview-work.js'
import { listServices } from '../../state/services.js'
import { situationOf } from '../../state/step/evaluate.js'
import { previewBesideRival } from '../../state/step/observed.js'
import { defer, type Handlers } from '../../state/step/outcome.js'
import { loginCheck, untilLogin } from './logins.js'
import { refuseWhileRolling } from './rolls.js'

export const planHandlers = {
  'plan-work': (state, { work }, arrival) => {
    const situation = situationOf(state, arrival.now)
    const waiting = work.type === 'relocate' && untilLogin(state, planRelocate(situation, work), arrival)
    if (waiting) return waiting
    const login = loginCheck(state, arrival.since)
    const scene = {
      ...{ situation, ...(login ? { login } : {}) },
      services: listServices(state),
      rolling: refuseWhileRolling(state),
      roll: state.roll,
      appointment: state.appointment,
    }
    const preview =
      work.type === 'backup'
        ? previewBackup(state.snapshot, state.settings, work)
        : work.type === 'recovery'
          ? previewRecovery(state.snapshot, state.backups ?? [], work.wish)
          : previewWork(scene, work)
    return defer(state, arrival, {
      type: 'plan-work',
      work,
      preview: withPause(previewBesideRival(preview, state), state.memory),
    })
  },
} as const satisfies Partial<Handlers>
