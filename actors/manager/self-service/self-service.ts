// Clusters that identities create without an operator: judged in the order of the contract, created and limited in one turn of changes.
import { access } from 'node:fs/promises'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { createLimit } from '../../../lib/base/limit.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { HOUR, SECOND, steadyNow } from '../../../lib/base/time.js'
import {
  askGate,
  type GateVerdict,
  type Holdings,
  judgeDoor,
  judgeRoom,
  neededUnits,
  type Offer,
  poolFigures,
  type Room,
  type Units,
} from '../../../lib/hosted/index.js'
import type { Usage } from '../../../lib/price/index.js'
import type { Configuration } from '../../../lib/settings/configuration/configuration.js'
import type { Settings } from '../../../lib/settings/index.js'
import type { Caller } from '../../protocol/manager/caller.js'
import type { SelfServiceFace, SelfServiceRequest, SelfServiceStatus } from '../../protocol/manager/self-service.js'
import type { Clusters } from '../configuration/clusters.js'
import { firstValues } from './first-values.js'
import { applicantOf, offerOf, overOf, placeOf, soldIn, sponsoredIn, sumUnits } from './offer.js'

/** Clusters that are asked at once what they use. */
const AT_ONCE = 16
/** Gate scripts that run at once, and those that wait for their turn. */
const SCRIPTS = 4
export const WAITING = 100
/** Identities whose verdict is kept. */
const VERDICTS = 1_024
/** Longest wait for the removal of services. */
const CLEAR_MS = HOUR

export interface SelfServiceParts {
  readonly clusters: Pick<Clusters, 'configuration' | 'server' | 'settings' | 'addDecided'>
  /** What a cluster uses. */
  readonly usage: (cluster: string) => Promise<Result<Usage>>
  /** Removes the services of a cluster with their data, and waits for the end; done where it has none. */
  readonly removeServices: (cluster: string, user: string, deadlineMs: number) => Promise<Result<void>>
  /** A warning in the log of the cluster. */
  readonly warn: (cluster: string, text: string) => void
  /** To `mail-to`. */
  readonly mail: (settings: Settings, subject: string, text: string) => Promise<Result<void>>
  readonly log: WriteLog
}

/** What several requests share for `hosted-self-service-cache-seconds`. */
interface Shot {
  readonly at: number
  readonly over: Promise<Units>
  readonly sponsored: Map<string, readonly string[]>
  readonly configuration: Configuration
  readonly sold: Units
}

export class SelfService implements SelfServiceFace {
  readonly #parts: SelfServiceParts
  readonly #end = new AbortController()
  readonly #scripts = createLimit(SCRIPTS)
  readonly #verdicts = new LRUCache<string, Promise<GateVerdict>>({ max: VERDICTS })
  #shot: Shot | undefined

  constructor(parts: SelfServiceParts) {
    this.#parts = parts
  }

  /** Ends scripts that run; what waits for one is refused. */
  close(): void {
    this.#end.abort()
  }

  /** A cluster came or went. */
  forget(): void {
    this.#shot = undefined
    this.#verdicts.clear()
  }

  async status(caller: Caller): Promise<SelfServiceStatus> {
    const { configuration, server } = this.#parts.clusters
    const offer = offerOf(server)
    const applicant = applicantOf(configuration, caller)
    const door = judgeDoor(offer, applicant)
    const shot = offer.isOn && offer.isHosted ? this.#snapshot(server) : undefined
    const sponsored = shot ? sponsoredOf(shot, caller.user) : sponsoredIn(configuration, caller.user)
    const basis = { ...statusOf(server, offer, sponsored), identity: caller.user }
    if (!door.ok || !shot) return { ...basis, enabled: false, ...(door.ok ? {} : { reason: door.failure.message }) }
    const holdings = { sold: shot.sold, over: await shot.over, sponsored }
    const gate = await this.#keptVerdict(offer, caller.user, holdings)
    const room = judgeRoom(offer, holdings)
    const refusal = gate.type === 'open' ? (room.ok ? undefined : room.failure.message) : gate.reason
    return {
      ...basis,
      enabled: refusal === undefined,
      ...(refusal === undefined ? {} : { reason: refusal }),
      ...poolStatus(offer, holdings),
    }
  }

  async create({ name, form, caller }: SelfServiceRequest): Promise<Result<void>> {
    const created = await this.#create({ name, form, caller })
    const { user } = caller
    if (!created.ok) {
      // Requests of users that are no identities are refused as those without a grant are.
      if (created.failure.code !== 'no-grant')
        this.#parts.log('warn', 'hosted_self_service_cluster', {
          ...{ cluster: name, user, refused: created.failure.message },
        })
      return created
    }
    this.forget()
    this.#notify(name, user, created.value)
    return done
  }

  sponsors(user: string, cluster: string): boolean {
    return user !== '' && this.#parts.clusters.settings(cluster)?.['hosted-self-service-sponsor'] === user
  }

  async clear(cluster: string, { user, may }: Caller): Promise<Result<void>> {
    if (!this.sponsors(user, cluster) || may('cluster-delete', '')) return done
    return this.#parts.removeServices(cluster, user, CLEAR_MS)
  }

  async #create({ name, form, caller }: SelfServiceRequest): Promise<Result<Created>> {
    const { clusters } = this.#parts
    const before = this.#judgeDoor(caller)
    if (!before.ok) return before
    const chosen = judgeForm(before.value, form)
    if (!chosen.ok) return chosen
    const over = await this.#over(before.value)
    const { configuration } = clusters
    const asked = {
      ...{ sold: soldIn(configuration), over },
      sponsored: sponsoredIn(configuration, caller.user),
    }
    const gate = await this.#askGate(before.value, caller.user, asked)
    if (gate.type !== 'open') return fail('self-service-refused', gate.reason)
    let room: Room | undefined
    const added = await clusters.addDecided(name, async (present) => {
      // Settings may have changed while the script ran, and others have created clusters.
      const offer = this.#judgeDoor(caller)
      if (!offer.ok) return offer
      const taken = { sold: soldIn(present), over, sponsored: sponsoredIn(present, caller.user) }
      const judged = judgeRoom(offer.value, taken)
      if (!judged.ok) return judged
      room = judged.value
      const isFree = await judgeDirectory(present.server.settings, name)
      return isFree.ok ? firstValues(present.server.settings, { cluster: name, identity: caller.user }) : isFree
    })
    return added.ok ? ok({ room: room ?? { verdict: 'guaranteed' }, offer: before.value }) : added
  }

  /** By the configuration in force. */
  #judgeDoor(caller: Caller): Result<Offer> {
    const { configuration, server } = this.#parts.clusters
    const offer = offerOf(server)
    const judged = judgeDoor(offer, applicantOf(configuration, caller))
    return judged.ok ? ok(offer) : judged
  }

  /** The snapshot in force; one computation for each interval, however many ask. */
  #snapshot(server: Settings): Shot {
    const kept = this.#shot
    const until = (kept?.at ?? 0) + server['hosted-self-service-cache-seconds'] * SECOND
    if (kept && steadyNow() < until) return kept
    const { configuration } = this.#parts.clusters
    const shot = {
      ...{ at: steadyNow(), configuration, sold: soldIn(configuration), sponsored: new Map() },
      over: this.#over(offerOf(server)),
    }
    this.#shot = shot
    return shot
  }

  /** What clusters use above their plans, where that decides anything; one that does not say counts with its plan. */
  async #over({ canBorrow, pool }: Offer): Promise<Units> {
    const { clusters, usage } = this.#parts
    if (!canBorrow || (pool.cores === 0 && pool.memoryMb === 0)) return { dbu: 0, apu: 0 }
    const limit = createLimit(AT_ONCE)
    const all = [...clusters.configuration.clusters].map(([name, { settings }]) =>
      limit.run(async () => {
        const used = await usage(name)
        return used.ok ? overOf(used.value, settings) : { dbu: 0, apu: 0 }
      }),
    )
    return sumUnits(await Promise.all(all))
  }

  /** Kept for each identity; one that was not answered is asked again. */
  #keptVerdict(offer: Offer, identity: string, holdings: Holdings): Promise<GateVerdict> {
    const kept = this.#verdicts.get(identity)
    if (kept) return kept
    const asked = this.#askGate(offer, identity, holdings)
    const ttl = this.#parts.clusters.server['hosted-self-service-cache-seconds'] * SECOND
    if (ttl === 0) return asked
    this.#verdicts.set(identity, asked, { ttl })
    void asked.then(({ type }) => {
      if (type === 'unanswered' && this.#verdicts.peek(identity) === asked) this.#verdicts.delete(identity)
    })
    return asked
  }

  async #askGate(offer: Offer, identity: string, { sponsored, ...taken }: Holdings): Promise<GateVerdict> {
    const script = this.#parts.clusters.server['hosted-self-service-clusters-enabled-script']
    if (script === '') return { type: 'open' }
    if (this.#scripts.pending >= SCRIPTS + WAITING)
      return { type: 'unanswered', reason: 'too many creations wait for the gate script; retry later' }
    const question = {
      ...{ identity, orchestrator: offer.orchestrator, sponsored: sponsored.length, needed: neededUnits(offer) },
      pool: poolFigures(offer.pool, taken),
    }
    const verdict = await this.#scripts.run(() => askGate(script, question, { signal: this.#end.signal }))
    if (verdict.type === 'unanswered')
      this.#parts.log('warn', 'gate-script-unanswered', { user: identity, problem: verdict.reason })
    return verdict
  }

  /** The operator: security log, log of the cluster, mail. */
  #notify(cluster: string, user: string, { offer, room }: Created): void {
    const { log, warn, mail, clusters } = this.#parts
    const { dbu, apu } = neededUnits(offer)
    const { orchestrator } = offer
    const plan = { dbu, apu, pool: room.verdict, ...(room.note === undefined ? {} : { note: room.note }) }
    log('warn', 'hosted_self_service_cluster', { cluster, user, orchestrator, ...plan })
    const text = [
      `${cluster} was created in self-service by ${user}, on the orchestrator ${orchestrator}.`,
      `It reserves ${dbu} DBU and ${apu} APU${room.note === undefined ? '.' : `: ${room.note}.`}`,
    ]
    warn(cluster, text.join(' '))
    const settings = clusters.server
    if (settings['mail-to'] === '') return
    void mail(settings, `${cluster}: created in self-service`, `${text.join('\n')}\n`).then((sent) => {
      if (!sent.ok) log('warn', 'self-service-mail-failed', { cluster, problem: sent.failure.message })
    })
  }
}

interface Created {
  readonly room: Room
  readonly offer: Offer
}

const sponsoredOf = ({ sponsored, configuration }: Shot, identity: string): readonly string[] => {
  const known = sponsored.get(identity) ?? sponsoredIn(configuration, identity)
  sponsored.set(identity, known)
  return known
}

/** Self-service has one plan and one orchestrator. */
function judgeForm({ orchestrator }: Offer, form: SelfServiceRequest['form']): Result<void> {
  if ((form.plan ?? '') !== '')
    return fail('self-service-refused', 'no service plan is chosen in self-service: the cluster gets the default plan')
  const wanted = form.orchestrator ?? ''
  return wanted === '' || wanted === orchestrator
    ? done
    : fail('self-service-refused', `clusters of self-service are on the orchestrator ${orchestrator}, not ${wanted}`)
}

/** What an earlier cluster of the name left (backups, series, data) is not of the new one. */
async function judgeDirectory(server: Settings, name: string): Promise<Result<void>> {
  const directory = path.join(server['monitoring-datadir'], name)
  const exists = await access(directory).then(
    () => true,
    () => false,
  )
  return exists ? fail('data-exists', `${name}: files of an earlier cluster have this name; choose another one`) : done
}

function statusOf(server: Settings, offer: Offer, clusters: readonly string[]) {
  const { dbu, apu, bku } = offer.plan
  const needed = neededUnits(offer)
  return {
    ...{ orchestrator: offer.orchestrator, maxClustersPerUser: offer.maxClusters, used: clusters.length, clusters },
    remaining: Math.max(0, offer.maxClusters - clusters.length),
    ...{ defaultDbu: dbu, defaultApu: apu, defaultBku: bku, neededDbu: needed.dbu, neededApu: needed.apu },
    ...placeOf(server),
    prices: {
      currency: server['hosted-cost-currency'],
      ...{ dbu: server['hosted-marketplace-dbu-price'], apu: server['hosted-marketplace-apu-price'] },
      bku: server['hosted-marketplace-bku-price'],
    },
  }
}

/** The pool without regard to the clusters of the identity. */
function poolStatus(offer: Offer, { sold, over }: Holdings) {
  const room = judgeRoom({ ...offer, maxClusters: 1 }, { sold, over, sponsored: [] })
  const note = room.ok ? room.value.note : room.failure.message
  return {
    pool: poolFigures(offer.pool, { sold, over }),
    poolOk: room.ok,
    borrowed: room.ok && room.value.verdict === 'borrowed',
    ...(note === undefined ? {} : { poolNote: note }),
  }
}
