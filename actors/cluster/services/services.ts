// The services of a cluster on request: permitted, then acted on by their orchestrator as jobs, one at a time for each.
import { setMaxListeners } from 'node:events'
import path from 'node:path'
import { withDeadline } from '../../../lib/base/deadline.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import type { SqlTls } from '../../../lib/effect/index.js'
import { optimizeTables } from '../../../lib/effect/upkeep/optimize.js'
import type { LogModule } from '../../../lib/model/log-module.js'
import type { Job, JobTask } from '../../../lib/model/operation/job.js'
import type { Work as PlannedWork } from '../../../lib/model/operation/preview.js'
import type { RollKind } from '../../../lib/model/operation/roll.js'
import type { ServiceAction, ServiceSpec } from '../../../lib/model/operation/services.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { FileSystem } from '../../../lib/model/server/watched.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { Orchestrator, Run } from '../../../lib/orchestrator/index.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { exportSettings } from '../../../lib/settings/table/settings.js'
import { clearCookie, listCookies, setCookie } from '../../../lib/store/index.js'
import type { ClusterInit, ClusterProtocol, JobsTicket, JobTicket } from '../../protocol/cluster.js'
import type { Commanding } from '../operations/run-command.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import { listServices } from '../state/services.js'
import type { Watch } from '../watch/watch.js'
import type { CookieWatch } from './cookies.js'
import type { JobBook } from './jobs.js'
import { onNewest, settledBy } from './needs.js'
import type { Permits } from './permits.js'
import { reprovisionServer } from './reprovision.js'

type One = ClusterProtocol['run-service']['in']
type All = ClusterProtocol['run-services']['in']

/** Longest wait for a host to show its option files, its turn included. */
const FILES_MS = 10 * SECOND

/** Of a log that is read on request. */
const TAIL_BYTES = 256 * 1024

/** The orchestrator of a cluster by its settings. */
export type OpenOrchestrator = (init: ClusterInit, tls: SqlTls | undefined) => Orchestrator

/** A running cluster whose services are acted on. */
export interface Serving extends Cluster, Commanding {
  readonly cookies: Pick<CookieWatch, 'read'>
  readonly jobs: JobBook
  readonly permits: Pick<Permits, 'ask'>
  /** The jobs that wait for their turn: those of a server keep others away from it. */
  readonly queue: { busy(id: string): number | undefined; poke(): void }
  readonly outlets: { readonly orchestrator: OpenOrchestrator }
  readonly watch: Pick<Watch, 'probeFresh' | 'hurry'>
}

type Work = (run: Pick<Run, 'signal' | 'log'>) => Promise<Result<void>>

interface Begun {
  readonly job: Job
  /** Resolves when the beginning would survive a crash. */
  readonly written: Promise<unknown>
  readonly ended: Promise<{ readonly job: Job; readonly result: Result<void> }>
}

/** A throw is a fault of the program: the action has ended all the same. */
const unexpected = (error: unknown) => fail('internal', error instanceof Error ? error.message : String(error))

const ticketOf = ({ job, result }: Awaited<Begun['ended']>): Result<JobTicket> => (result.ok ? ok({ job }) : result)

export class Services {
  readonly #actor: Serving
  readonly #busy = new Map<string, number>()
  #reprovisioning: AbortController | undefined
  #known:
    | { readonly settings: Settings; readonly tls: SqlTls | undefined; readonly orchestrator: Orchestrator }
    | undefined

  constructor(actor: Serving) {
    this.#actor = actor
    // Every job that waits for its turn listens to it.
    setMaxListeners(0, actor.context.signal)
  }

  /** The end of a file on the host of a database. */
  async readTail(id: string, file: string, signal: AbortSignal): Promise<Result<string>> {
    const service = this.#find(id)
    return service ? this.orchestrator.readTail(service, { file, bytes: TAIL_BYTES, signal }) : this.#stranger(id)
  }

  /** The file systems of directories on the host of a database. */
  async readFileSystems(
    id: string,
    directories: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<readonly FileSystem[]>> {
    const service = this.#find(id)
    return service ? this.orchestrator.readFileSystems(service, { directories, signal }) : this.#stranger(id)
  }

  /** The option files that a database starts on. */
  async readOptionFiles(service: ServiceSpec): Promise<Result<string>> {
    return withDeadline(this.#actor.context.signal, FILES_MS, (signal) =>
      this.orchestrator.readOptionFiles(service, signal),
    )
  }

  async describe(service: ServiceSpec): Promise<Result<string>> {
    return this.orchestrator.describe(service)
  }

  /** One action on one service. Nothing is started where nothing would act: a ticket of such a job reads as a success. */
  async run({ service: id, wait, ...request }: One): Promise<Result<JobTicket>> {
    const service = this.#find(id)
    if (!service) return this.#stranger(id)
    const able = await this.#able(service, request)
    if (!able.ok) return able
    const permitted = this.#permit(service, request)
    if (!permitted.ok) return permitted
    const { job, written, ended } = this.#begin(service, request)
    await written
    if (!wait) return ok({ job })
    return ticketOf(await ended)
  }

  /** One action on every service: nothing is started unless everything is permitted and would be acted on. */
  async runAll({ wait, ...request }: All): Promise<Result<JobsTicket>> {
    const services =
      request.action === 'unprovision' ? listServices(this.#actor.state).toReversed() : listServices(this.#actor.state)
    if (services.length === 0)
      return fail('wrong-state', `${this.#actor.init.name} has no services: add a server first`)
    for (const service of services) {
      const able = await this.#able(service, request)
      if (!able.ok) return able
    }
    const jobs: Job[] = []
    const work = this.#runGroups(services, request, (job) => jobs.push(job))
    if (!wait) return ok({ jobs })
    const results = await work
    const failures = results.flatMap((result) => (result.ok ? [] : [result.failure]))
    const [first] = failures
    if (!first) return ok({ jobs: jobs.map((job) => this.#actor.jobs.find(job.id) ?? job) })
    const text = failures.map(({ message }) => message).join('; ')
    return fail(first.code, `${failures.length} of ${services.length} failed: ${text}`)
  }

  /** Whether an action could begin on a service, or on all of them: not while a job runs, nor where nothing would act. */
  async canRun({
    action,
    service: only,
  }: Pick<Extract<PlannedWork, { type: 'services' }>, 'action' | 'service'>): Promise<Result<void>> {
    for (const service of listServices(this.#actor.state).filter(({ id }) => only === undefined || id === only)) {
      const job = this.#taken(service.id)
      if (job !== undefined) return fail('operation-running', `job ${job} of ${service.name} is running`)
      const able = await this.#acts(service, action)
      if (!able.ok) return able
    }
    return done
  }

  /** The turn of a server in rolling work; it is back when this answers. */
  async roll(
    server: ServerId,
    { kind, user, again = false }: { readonly kind: RollKind; readonly user: string; readonly again?: boolean },
  ): Promise<Result<void>> {
    if (kind === 'restart') {
      const request = { service: server, user, force: false, wait: true, byRoll: true }
      const ticket = await this.run({ ...request, action: 'restart' })
      return ticket.ok ? done : ticket
    }
    const started = kind === 'optimize' ? this.#optimize(server, user) : this.#reprovision(server, { user, again })
    return started.ok ? (await started.value.ended).result : started
  }

  /** Ends the filling of a server that runs: its old data are restored. */
  endReprovision(): void {
    this.#reprovisioning?.abort()
  }

  /** Recreates a database and fills it, as a job. */
  #reprovision(id: ServerId, { user, again }: { readonly user: string; readonly again: boolean }): Result<Begun> {
    const service = this.#find(id)
    if (!service) return this.#stranger(id)
    const request = { user, action: 'restart', force: false, byRoll: true } as const
    const permitted = this.#permit(service, request)
    if (!permitted.ok) return permitted
    const reprovisioning = new AbortController()
    this.#reprovisioning = reprovisioning
    const work: Work = async ({ signal, log }) => {
      const end = () => reprovisioning.abort()
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      const result = await reprovisionServer(this.#actor, {
        orchestrator: this.orchestrator,
        service,
        again,
        run: { signal: reprovisioning.signal, log },
      })
      signal.removeEventListener('abort', end)
      await (result.ok ? this.#settle(service, 'provision') : this.#stillNeeded(service))
      this.#close(service, 'restart', result)
      return result
    }
    return ok(this.#open(service, { task: 'reprovision', user }, work))
  }

  /** Rebuilds the tables of one database. */
  async optimize({ server, user, wait }: Omit<ClusterProtocol['optimize']['in'], 'force'>): Promise<Result<JobTicket>> {
    const started = this.#optimize(server, user)
    if (!started.ok) return started
    await started.value.written
    return wait ? ticketOf(await started.value.ended) : ok({ job: started.value.job })
  }

  /** Rebuilds the tables of a database over SQL, as a job. */
  #optimize(id: ServerId, user: string): Result<Begun> {
    const service = this.#find(id)
    const server = findServer(this.#actor.state.snapshot, id)
    if (!service || !server) return this.#stranger(id)
    const job = this.#taken(id)
    if (job !== undefined) return fail('operation-running', `job ${job} of ${service.name} is running`)
    const target = targetOf(server, this.#actor.state)
    return ok(this.#open(service, { task: 'optimize', user }, (run) => optimizeTables(target, run)))
  }

  close(): void {
    this.#known?.orchestrator.close()
  }

  /** All databases together and all proxies together, or one after the other where `prov-serialized` says so. */
  async #runGroups(
    services: readonly ServiceSpec[],
    request: Omit<All, 'wait'>,
    started: (job: Job) => void,
  ): Promise<readonly Result<void>[]> {
    const serialized = this.#actor.state.settings['prov-serialized']
    const kinds = [...new Set(services.map(({ kind }) => kind))]
    const groups = serialized
      ? services.map((service) => [service])
      : kinds.map((kind) => services.filter((service) => service.kind === kind))
    const results: Result<void>[] = []
    for (const [index, group] of groups.entries()) {
      const permitted = index === 0 ? done : await this.#mayGoOn(request)
      if (!permitted.ok) {
        results.push(...group.map(() => permitted))
        continue
      }
      const ends = group.map(async (service): Promise<Result<void>> => {
        const permitted = this.#permit(service, request)
        if (!permitted.ok) return permitted
        const { job, ended } = this.#begin(service, request)
        started(job)
        return (await ended).result
      })
      results.push(...(await Promise.all(ends)))
    }
    return results
  }

  /** Services that have not had their turn are left as they are when the user may not have it any more, or nothing answers. */
  async #mayGoOn({ action, asker }: Omit<All, 'wait'>): Promise<Result<void>> {
    const permit = await this.#actor.permits.ask(asker)
    if (permit.type === 'granted') return done
    if (permit.type === 'unanswered') return fail('deadline-passed', 'nothing answers whether its user may go on')
    this.#actor.tell('note-revoked', { work: `${action} of all services`, reason: permit.reason })
    return fail('job-cancelled', `cancelled by the manager: ${permit.reason}`)
  }

  /** The job that acts on a service. */
  busy(id: string): number | undefined {
    return this.#busy.get(id)
  }

  #taken(id: string): number | undefined {
    return this.busy(id) ?? this.#actor.queue.busy(id)
  }

  #permit(service: ServiceSpec, request: Omit<All, 'wait'> & { readonly dry?: boolean }): Result<void> {
    const job = this.#taken(service.id)
    if (job !== undefined) return fail('operation-running', `job ${job} of ${service.name} is running`)
    if (service.kind === 'proxy') return done
    const { user, action, force, dry = false, byRoll = false } = request
    return this.#actor.decide('permit-service', { user, server: service.id, action, force, dry, byRoll })
  }

  /** Whether it is permitted and anything would carry it out; since that takes time, it is permitted again when it begins. */
  async #able(service: ServiceSpec, request: Omit<All, 'wait'>): Promise<Result<void>> {
    const permitted = this.#permit(service, { ...request, dry: true })
    return permitted.ok ? this.#acts(service, request.action) : permitted
  }

  /** Hosts that poll must have asked lately; others show it when they act. */
  async #acts(service: ServiceSpec, action: ServiceAction): Promise<Result<void>> {
    return (await this.orchestrator.able?.(service, action)) ?? done
  }

  #begin(service: ServiceSpec, { user, action, force, first = false }: Omit<All, 'wait'>): Begun {
    const orchestrator = this.orchestrator
    const left = orchestrator.left?.(service, action)
    return this.#open(service, { task: action, user, ...(left === undefined ? {} : { left }) }, (run) =>
      this.#carryOut(orchestrator, { service, action }, { ...run, force, first }),
    )
  }

  /** One action as a step of a job of the queue, which keeps others away from the service. */
  act(service: ServiceSpec, action: ServiceAction, run: Pick<Run, 'signal' | 'log'>): Promise<Result<void>> {
    return this.#carryOut(this.orchestrator, { service, action }, { ...run, force: false })
  }

  async #carryOut(
    orchestrator: Orchestrator,
    { service, action }: { readonly service: ServiceSpec; readonly action: ServiceAction },
    run: Run,
  ): Promise<Result<void>> {
    const result = await orchestrator[action](service, run).catch(unexpected)
    if (result.ok && orchestrator.acts) await this.#settle(service, action)
    this.#close(service, action, result)
    return result
  }

  /** A job that runs from now on. `left`: what its end leaves to the host. */
  #open(
    service: ServiceSpec,
    { task, user, left }: { readonly task: JobTask; readonly user: string; readonly left?: string },
    work: Work,
  ): Begun {
    const { jobs, context } = this.#actor
    const open = jobs.begin({ service, task, user })
    this.#busy.set(service.id, open.id)
    const module = task === 'reprovision' ? 'sst' : 'orchestrator'
    this.#note('INFO', `Job ${open.id}: ${task} of ${service.name} asked by ${user}`, module)
    const log = (line: string) => {
      open.log(line)
      this.#actor.tell('job-line', { job: open.id, service: service.id, line })
    }
    const ended = work({ signal: context.signal, log })
      .catch(unexpected)
      .then(async (result) => {
        this.#busy.delete(service.id)
        this.#actor.queue.poke()
        const job = await open.end(result.ok ? ok(left) : result)
        const why = result.ok ? (left ?? 'done') : `failed: ${result.failure.message}`
        this.#note(result.ok ? 'INFO' : 'ERROR', `Job ${open.id}: ${task} of ${service.name} ${why}`, module)
        return { job, result }
      })
    const job = jobs.find(open.id)
    if (!job) throw new Error(`job ${open.id} is gone`)
    return { job, written: open.written, ended }
  }

  /** What was wished of a database is settled; the next probe sees what it did. */
  #close(service: ServiceSpec, action: ServiceAction, result: Result<void>): void {
    if (findServer(this.#actor.state.snapshot, service.id)) {
      const stays = result.ok || result.failure.code === 'deadline-passed'
      this.#actor.tell('service-acted', { server: service.id, action, stays })
    }
    this.#actor.watch.hurry()
    void this.#actor.cookies.read()
  }

  async #settle(service: ServiceSpec, action: ServiceAction): Promise<void> {
    const directory = this.#directoryOf(service)
    for (const cookie of settledBy(service.kind, action)) await clearCookie(directory, cookie)
  }

  /** It was started on its old configuration again: what its flags ask for stands, later than that start. */
  async #stillNeeded(service: ServiceSpec): Promise<void> {
    const directory = this.#directoryOf(service)
    const standing = await listCookies(directory)
    for (const cookie of onNewest) if (standing.includes(cookie)) await setCookie(directory, cookie)
  }

  #directoryOf({ host, port }: ServiceSpec): string {
    return path.join(this.#actor.init.directory, `${host}_${port}`)
  }

  get orchestrator(): Orchestrator {
    const { outlets, init, state } = this.#actor
    const { settings, tls } = state
    if (this.#known?.settings !== settings || this.#known.tls !== tls) {
      // What runs keeps its connections; idle ones are closed automatically.
      if (this.#busy.size === 0) this.#known?.orchestrator.close()
      const orchestrator = outlets.orchestrator({ ...init, settings: exportSettings(settings) }, tls)
      this.#known = { settings, tls, orchestrator }
    }
    return this.#known.orchestrator
  }

  #note(level: 'INFO' | 'ERROR', text: string, module: LogModule = 'orchestrator'): void {
    this.#actor.tell('noted', { level, text, module })
  }

  #find(id: string): ServiceSpec | undefined {
    return listServices(this.#actor.state).find((each) => each.id === id)
  }

  #stranger(id: string): Result<never> {
    return fail('unknown-server', `${this.#actor.init.name} has no service ${id}`)
  }
}
