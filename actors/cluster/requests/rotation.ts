// Takes one step of a password rotation: on the accounts, on the proxies, or on the login of a replica.
import { withDeadline } from '../../../lib/base/deadline.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { informed, renewed, settled } from '../../../lib/decide/upkeep/rotation.js'
import { changeAccounts, masked } from '../../../lib/effect/rotation/accounts.js'
import { informProxies } from '../../../lib/effect/rotation/proxies.js'
import type { Command } from '../../../lib/model/operation/command.js'
import type { Rotation } from '../../../lib/model/operation/rotation.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { ProxyWatch } from '../proxies/proxies.js'
import type { Cluster } from '../state/message/cluster.js'
import type { RotationRequest } from '../state/message/command.js'
import type { Watch } from '../watch/watch.js'

/** Longest time of one replica's turn. */
const RENEW_MS = 30 * SECOND

/** A running cluster whose passwords can be rotated. */
export interface Rotating extends Cluster {
  readonly perform: (command: Command, signal: AbortSignal) => Promise<Result<string>>
  readonly proxies: Pick<ProxyWatch, 'list'>
  readonly watch: Pick<Watch, 'probeFresh'>
}

/** What fails is waited for: the next step tries again. Failure `unsupported`: it cannot go on. */
export async function rotate(actor: Rotating, request: RotationRequest): Promise<Result<Rotation>> {
  const taken = masked(await take(actor, request), request.logins)
  if (taken.ok || taken.failure.code === 'unsupported') return taken
  return ok({ ...request.rotation, waitsFor: taken.failure.message })
}

async function take(actor: Rotating, { rotation, logins, step, accounts, reached }: RotationRequest) {
  if (step.type === 'inform') {
    const proxies = actor.proxies.list().filter(({ name }) => !rotation.informed?.includes(name))
    return ok(informed(rotation, await informProxies({ proxies, logins, servers: reached }, actor.context.signal)))
  }
  if (step.type === 'renew') return renew(actor, rotation, step)
  const changed = await changeAccounts(accounts, step.type, logins)
  if (!changed.ok) return changed
  return ok<Rotation>(step.type === 'admit' ? { ...rotation, phase: 'adopting' } : narrowed(rotation, step.leftOut))
}

async function renew(
  actor: Rotating,
  rotation: Rotation,
  { server, channels, start }: Extract<RotationRequest['step'], { readonly type: 'renew' }>,
): Promise<Result<Rotation>> {
  const command = { type: 'renew-login', server, channels, start, timeoutMs: RENEW_MS } as const
  const done = await withDeadline(actor.context.signal, RENEW_MS, (signal) => actor.perform(command, signal))
  await actor.watch.probeFresh(server)
  if (done.ok) return ok(renewed(rotation, server))
  const name = findServer(actor.state.snapshot, server)?.name ?? server
  return fail(done.failure.code, `${name}: ${done.failure.message}`)
}

function narrowed(rotation: Rotation, leftOut: string | undefined): Rotation {
  if (rotation.settling && rotation.cancelledBy === undefined) return settled(rotation)
  const isBack = rotation.back !== undefined || rotation.settling !== undefined
  const which = isBack && !rotation.settling ? 'new' : 'old'
  const message = `${leftOut} did not answer: its accounts accept the ${which} passwords until it replicates what the primary has logged`
  return {
    ...rotation,
    phase: isBack ? 'cancelled' : 'succeeded',
    ...(leftOut === undefined ? {} : { message }),
  }
}
