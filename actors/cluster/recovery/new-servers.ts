// Servers that are created to hold the data of an earlier point: planned, confirmed, made by a job, removed, attached.
import { access, rm } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND } from '../../../lib/base/time.js'
import {
  copiesHere,
  describeNewServer,
  judgeNewServer,
  judgeRoom,
  listPlaces,
  sizeOf,
} from '../../../lib/decide/backup/new-server.js'
import { chooseChain } from '../../../lib/decide/backup/recovery.js'
import type { NewServer, NewServerPlan, NewServerWish } from '../../../lib/model/operation/recovery.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import { addressText, type ServerAddress, type ServerId } from '../../../lib/model/server/server.js'
import { serverId } from '../../../lib/model/server/server-id.js'
import { findListener } from '../../../lib/orchestrator/local/process/listener.js'
import type { ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import { listServices } from '../state/services.js'
import { isObserved, observing } from '../state/step/observed.js'
import { keep, type Making, makeServer, roomHere } from './new-server-steps.js'
import { locateStored } from './stored-logs.js'

/** Longest duration of a removal. */
const REMOVE_MS = 60 * MINUTE

export class NewServers {
  readonly #actor: Making
  /** Settle when the work of a job has ended, whatever its job says, and what follows from it is remembered. */
  readonly #working = new Map<ServerId, Promise<void>>()

  constructor(actor: Making) {
    this.#actor = actor
  }

  /** Failures: `no-recovery`, `no-room`, `unsupported`, `server-exists`, `bad-request`, `wrong-state`, `operation-running`. */
  async plan({ wish, taken }: ClusterProtocol['plan-new-server']['in']): Promise<Result<NewServerPlan>> {
    const { state } = this.#actor
    const judged = judgeNewServer(state)
    if (!judged.ok) return judged
    const place = await this.#place(wish, taken)
    if (!place.ok) return place
    const able = await this.#able(place.value)
    if (!able.ok) return able
    const point = await this.#point(wish)
    if (!point.ok) return point
    const backup = point.value?.backup ?? wish.backup
    const chain = chooseChain(this.#actor.backups.list(), {
      ...(backup === undefined ? {} : { backup }),
      ...(wish.target ? { target: wish.target } : {}),
    })
    if (!chain.ok) return chain
    const room = judgeRoom('the disk of the manager', await roomHere(this.#actor), {
      bytes: sizeOf(chain.value),
      copies: copiesHere(state),
    })
    if (!room.ok) return room
    return ok(
      describeNewServer(state.name, {
        ...place.value,
        server: this.#idOf(place.value),
        chain: chain.value,
        ...(point.value ? { point: point.value } : {}),
        ...(wish.target ? { target: wish.target } : {}),
      }),
    )
  }

  /** Failures: those of `plan`; `plan-needed`, `plan-changed`, `observing`, `file-unwritable`. */
  async enter(request: ClusterProtocol['enter-new-server']['in']): Promise<Result<NewServer>> {
    const { user, asker, wish, taken, plan: confirmed } = request
    if (isObserved(this.#actor.state)) return observing(this.#actor.state)
    const planned = await this.plan({ wish, taken })
    if (!planned.ok) return planned
    const { id, server, host, port, backup, last } = planned.value
    if (confirmed === undefined)
      return fail('plan-needed', `nothing of the cluster is changed by it; confirm it with confirm=${id}`)
    if (confirmed !== id) return fail('plan-changed', `the plan is ${id} by now`)
    // From now on the point has a name: what is written meanwhile does not move it.
    const target = last ? ({ type: 'gtid', gtid: last.gtid, inclusive: true } as const) : wish.target
    const hasFolder = await access(this.#folderOf(planned.value)).then(
      () => true,
      () => false,
    )
    const entered: NewServer = {
      ...{ server, host, port, user, since: now(), backup, stage: 'adding', begun: 0 },
      ...(asker ? { asker } : {}),
      ...(hasFolder ? {} : { ownFolder: true }),
      ...(target ? { target } : {}),
    }
    const kept = await keep(this.#actor, entered)
    return kept.ok ? ok(entered) : kept
  }

  /** Failures: `unknown-server`, `wrong-state`, `operation-running`. */
  async make({ server }: ClusterProtocol['make-new-server']['in']): Promise<Result<JobTicket>> {
    const { state, queue } = this.#actor
    const open = queue.list('new-server').find((job) => job.service === server)
    if (open) return ok({ job: open })
    const known = this.#known(server)
    if (!known.ok) return known
    if (known.value.stage !== 'adding' && known.value.stage !== 'making')
      return fail('wrong-state', `${addressText(known.value)} is ${known.value.stage}`)
    const service = listServices(state).find(({ id }) => id === server)
    if (!service) return fail('unknown-server', `${addressText(known.value)} is no server of ${state.name}`)
    const making: NewServer = { ...known.value, stage: 'making', begun: known.value.begun + 1 }
    const kept = await keep(this.#actor, making)
    if (!kept.ok) return kept
    const attempt = making.begun - 1
    let working: Promise<unknown> | undefined
    const begun = queue.begin({
      ...{ service, task: 'new-server', user: making.user, asker: making.asker },
      ...(attempt === 0 ? {} : { attempt }),
      deadlineMs: state.settings['backup-timeout'] * SECOND,
      work: (run) => {
        const work = makeServer(this.#actor, { server, service }, run)
        working = work
        return work
      },
    })
    if (!begun.ok) return begun
    const { written, ended } = begun.value
    const settled = ended.then(async ({ result }) => {
      await working
      await this.#ended(server, result)
    })
    this.#working.set(server, settled)
    await written
    return ok({ job: begun.value.job })
  }

  /** When nothing works on it any more. */
  async ended({ server }: ClusterProtocol['await-new-server']['in']): Promise<Result<NewServer | undefined>> {
    const { context } = this.#actor
    await Promise.race([this.#working.get(server), aborted(context.signal)])
    return context.signal.aborted
      ? fail('actor-gone', 'the manager ends')
      : ok(this.#actor.state.memory.newServers?.[server])
  }

  /** Failures: `unknown-server`, `operation-running`, those of the orchestrator. What is left is remembered. */
  async unmake({ user, server }: ClusterProtocol['unmake-new-server']['in']): Promise<Result<void>> {
    const { queue, services } = this.#actor
    const known = this.#known(server)
    if (!known.ok) return known
    const [open] = queue.list('new-server').filter((job) => job.service === server)
    if (open)
      return fail('operation-running', `job ${open.id} makes it: cancel that (manager-cli job cancel ${open.id})`)
    const removing: NewServer = { ...known.value, stage: 'removing' }
    const kept = await keep(this.#actor, removing)
    if (!kept.ok || !removing.created) return kept
    const service = this.#serviceOf(removing)
    const begun = queue.begin({
      ...{ service, task: 'unprovision', user, deadlineMs: REMOVE_MS },
      work: (run) => services.act(service, 'unprovision', run),
    })
    if (!begun.ok) return begun
    const { result } = await begun.value.ended
    const { created: _, ...gone } = removing
    const noted = await keep(this.#actor, result.ok ? gone : { ...removing, failure: result.failure.message })
    return result.ok ? noted : result
  }

  /** Failures: `unknown-server`, `wrong-state`. */
  async forget({ user, server, attach }: ClusterProtocol['forget-new-server']['in']): Promise<Result<void>> {
    const { state, watch } = this.#actor
    const known = this.#known(server)
    if (!known.ok) return known
    const { stage } = known.value
    const address = addressText(known.value)
    if (attach && stage !== 'ready') return fail('wrong-state', `${address} holds no data yet: it is ${stage}`)
    if (!attach && stage === 'ready') return fail('wrong-state', `${address} still holds its data`)
    // From now on it is judged like any other server, by what it shows.
    if (attach) await watch.probeFresh(server)
    else if (known.value.ownFolder) await rm(this.#folderOf(known.value), { recursive: true, force: true })
    this.#actor.decide('keep-new-server', { server })
    this.#working.delete(server)
    const done = attach ? 'is a server like the others from now on' : 'is no longer remembered as a new server'
    this.#actor.tell('noted', {
      level: 'INFO',
      text: `${address} ${done}: asked by ${user} of ${state.name}`,
      module: 'task',
    })
    return this.#actor.keeper.saved()
  }

  /** A job that ended before its work began leaves nothing behind but its name. */
  async #ended(server: ServerId, result: Result<unknown>): Promise<void> {
    const known = this.#known(server)
    if (result.ok || !known.ok || known.value.stage !== 'making' || this.#actor.context.signal.aborted) return
    await keep(this.#actor, { ...known.value, stage: 'removing', failure: result.failure.message })
  }

  /** Archive, overlays and flags of a server, below the working directory. */
  #folderOf({ host, port }: ServerAddress): string {
    return path.join(this.#actor.init.directory, `${host}_${port}`)
  }

  #known(server: ServerId): Result<NewServer> {
    const { state } = this.#actor
    const known = state.memory.newServers?.[server]
    return known ? ok(known) : fail('unknown-server', `${state.name} has no new server ${server}`)
  }

  #idOf(address: ServerAddress): ServerId {
    return serverId(this.#actor.init.name, addressText(address))
  }

  #serviceOf(address: ServerAddress): ServiceSpec {
    const id = this.#idOf(address)
    const name = addressText(address)
    const { host, port } = address
    return listServices(this.#actor.state).find((each) => each.id === id) ?? { kind: 'database', id, name, host, port }
  }

  /** The first address where nothing listens. */
  async #place(wish: NewServerWish, taken: readonly ServerAddress[]): Promise<Result<ServerAddress>> {
    const { state } = this.#actor
    const places = listPlaces(state, wish, taken)
    if (!places.ok) return places
    const isLocal = state.settings['prov-orchestrator'] === 'local'
    for (const place of places.value) if (!isLocal || (await findListener(place)) === undefined) return ok(place)
    const [first, last] = [places.value[0], places.value.at(-1)]
    return wish.address
      ? fail(
          'wrong-state',
          `${addressText(wish.address)} cannot be used: another program listens there, or it is no address of this machine`,
        )
      : fail('wrong-state', `no port of ${first?.host} from ${first?.port} to ${last?.port} is free: name an address`)
  }

  /** It must be possible to create it there, and to remove it again. */
  async #able(place: ServerAddress): Promise<Result<void>> {
    const { orchestrator } = this.#actor.services
    const service = this.#serviceOf(place)
    for (const action of ['provision', 'unprovision'] as const) {
      const able = await orchestrator.able?.(service, action)
      if (able && !able.ok) return able
    }
    return ok(undefined)
  }

  async #point({ backup, target }: NewServerWish) {
    if (!target) return ok(undefined)
    return locateStored(this.#actor, { target, ...(backup === undefined ? {} : { backup }) })
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
