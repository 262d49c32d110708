// Handlers of password rotations: permitted, then taken step by step. Pure.
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { refuseWhileMade } from '../../../../lib/decide/situation/apart.js'
import { isReachable } from '../../../../lib/decide/situation/channel.js'
import { checksGrants } from '../../../../lib/decide/situation/grants.js'
import { isKeptBehind } from '../../../../lib/decide/situation/validity.js'
import { judgeRotation, nextStep, type RotationStep } from '../../../../lib/decide/upkeep/rotation.js'
import type { EffectServer } from '../../../../lib/effect/index.js'
import type { RotationServer } from '../../../../lib/effect/rotation/accounts.js'
import { reversed } from '../../../../lib/model/operation/rotation.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import { findServer } from '../../../../lib/model/snapshot.js'
import { effectServer } from '../../state/message/wires.js'
import type { ClusterState } from '../../state/state.js'
import { answer, defer, type Handlers, refuse } from '../../state/step/outcome.js'
import { refuseWhileRolling } from './rolls.js'

export const rotationHandlers = {
  'permit-rotation': (state, { logins, left }, arrival) => {
    const { snapshot, ready, name, memory } = state
    if (!ready) return refuse(state, fail('wrong-state', `${name}: its servers were not all probed yet`))
    const judged =
      refuseWhileRolling(state) ?? refuseWhileMade(memory) ?? judgeRotation(snapshot, logins.replication.user)
    if (!judged.ok) return refuse(state, judged)
    const servers: EffectServer[] = []
    for (const { id } of snapshot.servers) {
      const server = reportedServer(state, id)
      if (!server.ok) return refuse(state, server)
      servers.push(server.value)
    }
    return defer(state, arrival, { type: 'inspect-accounts', servers, logins, left, granted: checksGrants(state) })
  },

  'step-rotation': (state, { rotation: { waitsFor: _, ...rotation }, logins: fresh }, arrival) => {
    // The passwords in force are those that everything comes to use meanwhile.
    const logins = rotation.settling ? reversed(fresh) : fresh
    const { snapshot, ready } = state
    if (!ready) return answer(state, { ...rotation, waitsFor: 'the first probe of every server' })
    const step = nextStep(rotation, snapshot, logins.replication.user)
    if (step.type === 'wait') return answer(state, { ...rotation, waitsFor: step.waitsFor })
    if (step.type === 'adopt') return answer(state, rotation)
    if (step.type === 'next') return answer(state, step.rotation)
    const accounts = accountsOf(state, step)
    if (!accounts.ok) return answer(state, { ...rotation, waitsFor: accounts.failure.message })
    const reached = snapshot.servers.map((server) => ({
      ...{ host: server.host, port: server.port, reached: isReachable(server) },
    }))
    return defer(state, arrival, { type: 'rotate', rotation, logins, step, accounts: accounts.value, reached })
  },
} as const satisfies Partial<Handlers>

/** The servers of a step that changes accounts; one that left the cluster is passed over. */
function accountsOf(state: ClusterState, step: RotationStep): Result<readonly RotationServer[]> {
  if (step.type !== 'admit' && step.type !== 'narrow') return ok([])
  const { snapshot } = state
  const accounts: RotationServer[] = []
  for (const id of step.servers) {
    const member = findServer(snapshot, id)
    if (!member) continue
    const server = reportedServer(state, id)
    if (!server.ok) return server
    const isBehind = member.sourceId !== undefined && !isKeptBehind(member)
    const primary = isBehind && snapshot.primary !== undefined ? effectServer(state, snapshot.primary) : undefined
    accounts.push({ server: server.value, isPrimary: id === snapshot.primary, ...(primary ? { primary } : {}) })
  }
  return ok(accounts)
}

function reportedServer(state: ClusterState, id: ServerId): Result<EffectServer> {
  const server = effectServer(state, id)
  const name = findServer(state.snapshot, id)?.name ?? id
  return server ? ok(server) : fail('sql-refused', `${name}: it did not report yet what it is`)
}
