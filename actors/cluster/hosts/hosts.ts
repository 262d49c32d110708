// Tasks on the hosts of a cluster's databases: asked for, logged and ended; one of each kind at a time for each server.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import path from 'node:path'
import {
  type HostReach,
  type HostReport,
  type HostTaskEnd,
  type HostTaskRequest,
  type HostTaskRun,
  isLogTask,
  keepLog,
  type LogPlace,
  OrderBook,
  openSealed,
  runHostTask,
} from '../../../lib/backup/hosts/index.js'
import { done, fail, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { jobObstacle } from '../../../lib/decide/upkeep/job-table.js'
import { type HostTask, hostTaskOf } from '../../../lib/model/operation/host-task.js'
import { addressText, type ServerAddress, type ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { Orchestrator } from '../../../lib/orchestrator/index.js'
import { readPin } from '../../../lib/orchestrator/onpremise/environment.js'
import { readHostOrders, writeHostOrders } from '../../../lib/store/index.js'
import type { HostProof } from '../../protocol/cluster/hosts.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import { listServices } from '../state/services.js'

/** A running cluster whose hosts do tasks. */
export interface Hosting extends Pick<Cluster, 'state' | 'init' | 'context' | 'tell'> {
  readonly services: { readonly orchestrator: Orchestrator }
  readonly tables: { read(server: ServerId): Promise<void> }
}

interface Known {
  readonly book: OrderBook
  /** By server and task. */
  readonly tokens: Map<string, string>
}

interface Running extends HostTaskRun {
  readonly token: string
}

/** Lines of one message that are kept; a script sends fewer. */
const MOST_LINES = 1_000

export class HostTasks {
  readonly #actor: Hosting
  readonly #running = new Map<string, Running>()
  readonly #known: Promise<Known>
  #writing: Promise<unknown> = Promise.resolve()

  constructor(actor: Hosting) {
    this.#actor = actor
    this.#known = this.#read()
  }

  /**
   * Waits while roles move, and asks then. A request that an earlier life of the manager made is followed to its end.
   * Failures: `unknown-server`, `operation-running`, `deadline-passed`, and those of `runHostTask`.
   */
  async request(server: ServerId, request: HostTaskRequest, run: HostTaskRun): Promise<Result<HostTaskEnd>> {
    const { book, tokens } = await this.#known
    const name = this.reach(server)?.service.name ?? server
    const key = keyOf(server, request.task)
    if (this.#running.has(key))
      return fail('operation-running', `${name}: ${request.task} on its host is running already`)
    const earlier = request.stream ? undefined : tokens.get(key)
    const token = earlier ?? randomBytes(24).toString('hex')
    this.#running.set(key, { ...run, token })
    try {
      const clear = await this.#awaitTurn(server, request, run)
      if (!clear.ok) return clear
      const reach = this.reach(server)
      if (!reach) return fail('unknown-server', `${this.#actor.init.name} has no server ${server}`)
      if (!reach.session && !request.stream) tokens.set(key, token)
      await this.#write()
      const place = reach.session ? undefined : await this.#logPlace(reach.service, token)
      const placed: HostReach = {
        ...{ ...reach, manager: this.#actor.context.signal, earlier: earlier !== undefined },
        ...(place ? { log: place } : {}),
      }
      return await (this.#isAsked(reach) ? book.run(placed, request, run) : runHostTask(placed, request, run))
    } finally {
      this.#running.delete(key)
      if (!this.#actor.context.signal.aborted) {
        tokens.delete(key)
        void this.#write()
        void this.#actor.tables.read(server)
      }
    }
  }

  /** Tasks of a server that are waited for. */
  followed(server: ServerId): ReadonlySet<string> {
    const own = [...this.#running.keys()].filter((key) => key.startsWith(`${server} `))
    return new Set(own.map((key) => key.slice(server.length + 1)))
  }

  #isAsked = ({ session }: Pick<HostReach, 'session'>): boolean =>
    !session && this.#actor.state.settings['scheduler-jobs-mode'] === 'api'

  /** Nothing is begun on a host while roles move: the order waits, and its log says for what. */
  async #awaitTurn(id: ServerId, { task, deadlineMs }: HostTaskRequest, { signal, log }: HostTaskRun) {
    const until = now() + deadlineMs
    let said: string | undefined
    for (;;) {
      const reach = this.reach(id)
      const writes = reach !== undefined && !reach.session && !this.#isAsked(reach)
      const obstacle = jobObstacle(this.#actor.state, { server: id, writes })
      if (obstacle === undefined) return done
      if (obstacle !== said) log(`waiting: ${obstacle}`)
      said = obstacle
      if (signal.aborted || now() > until)
        return fail('deadline-passed', `${task} on the host of ${reach?.service.name ?? id} was not begun: ${obstacle}`)
      await sleep(SECOND, signal)
    }
  }

  async #read(): Promise<Known> {
    const { directory } = this.#actor.init
    const { value } = await readHostOrders(directory)
    const tokens = new Map(value?.tokens.map(({ server, task, token }) => [keyOf(server, task), token]))
    return { book: new OrderBook(value?.orders ?? [], () => void this.#write()), tokens }
  }

  /** A manager that ends leaves what was ordered as it is. */
  #write(): Promise<unknown> {
    this.#writing = this.#writing.then(async () => {
      const { book, tokens } = await this.#known
      if (this.#actor.context.signal.aborted) return
      const stored = [...tokens].map(([key, token]) => {
        const [server = '', task = ''] = key.split(' ')
        return { server, task: task as HostTask, token }
      })
      const written = await writeHostOrders(this.#actor.init.directory, { orders: book.kept(), tokens: stored })
      if (!written.ok) this.#actor.tell('noted', { level: 'ERROR', text: written.failure.message })
    })
    return this.#writing
  }

  /** How a host is reached by the settings as they are now; undefined for one that is not of the cluster. */
  reach(id: ServerId): HostReach | undefined {
    const { state, services } = this.#actor
    const { settings, snapshot } = state
    const service = listServices(state).find((each) => each.id === id && each.kind === 'database')
    const server = findServer(snapshot, id)
    if (!service || !server) return undefined
    const { orchestrator } = services
    const isNear = orchestrator.kind === 'local' || settings['scheduler-jobs-ssh']
    return {
      service,
      orchestrator,
      target: targetOf(server, state),
      session: isNear && orchestrator.runScript !== undefined,
      ownScript: settings['onpremise-ssh-db-job-script'],
      schema: settings['scheduler-jobs-schema'],
      batch: settings['job-log-batch-size'],
    }
  }

  /** Tasks that a host may ask for; one of them when it is named. */
  async wanted(server: ServerId, name: string): Promise<Result<string>> {
    const tasks = (await this.#known).book.list(server)
    const wanted = name === 'jobs' ? tasks : tasks.filter((task) => task === hostTaskOf(name))
    return wanted.length === 0
      ? fail('unknown-job', `nothing is asked of this host: ${name}`)
      : { ok: true, value: `${wanted.join('\n')}\n` }
  }

  /** The order of a task, given once: that it was given is on disk before it is answered. */
  async take(server: ServerId, name: string): Promise<Result<string>> {
    const task = hostTaskOf(name)
    if (!task) return fail('unregistered-task', `${name} is no task of the job script`)
    const taken = (await this.#known).book.take(server, task)
    if (taken.ok) await this.#write()
    return taken
  }

  async report(server: ServerId, name: string, report: HostReport): Promise<Result<void>> {
    const task = hostTaskOf(name)
    if (!task) return fail('unregistered-task', `${name} is no task of the job script`)
    const reported = (await this.#known).book.report(server, task, report)
    if (reported.ok) await this.#write()
    return reported
  }

  /** Lines of a script: into the log of the job that waits for it, or the log that its host sends; else into the manager's. */
  async logged(id: ServerId, name: string, proof: HostProof): Promise<Result<void>> {
    const { snapshot } = this.#actor.state
    const server = findServer(snapshot, id)
    const task = hostTaskOf(name)
    if (!server) return fail('unknown-server', `${this.#actor.init.name} has no server ${id}`)
    if (!task) return fail('unregistered-task', `${name} is no task of the job script`)
    const said = this.#open(server, task, proof)
    if (!said.ok) return said
    const lines = said.value.replace(/\n$/, '').split('\n').slice(0, MOST_LINES)
    const running = this.#running.get(keyOf(id, task))
    if (isLogTask(task)) {
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      if (running?.data) running.data(bytes)
      else return keepLog(this.directoryOf(server), task, { bytes, at: now() })
    } else if (running) for (const line of lines) running.log(line)
    else
      this.#actor.tell('noted', { level: 'INFO', text: `${server.name}: ${task}: ${lines.join(' ')}`, module: 'task' })
    return done
  }

  /** Where what the host of a server sent is kept. */
  keptFolder(id: string): string | undefined {
    const server = this.#actor.state.snapshot.servers.find((each) => each.id === id)
    return server && this.directoryOf(server)
  }

  directoryOf = ({ host, port }: ServerAddress): string => path.join(this.#actor.init.directory, `${host}_${port}`)

  #open(server: ServerAddress & { readonly id: ServerId }, task: HostTask, proof: HostProof): Result<string> {
    if ('sealed' in proof) {
      const opened = openSealed(proof.sealed, targetOf(server, this.#actor.state).password)
      if (!opened.ok) return opened
      const other = opened.value.find((line) => line.server !== addressText(server))
      if (other) return fail('undecryptable', `the lines are of ${other.server}, not of ${addressText(server)}`)
      return { ok: true, value: opened.value.map(({ log }) => log).join('\n') }
    }
    const running = this.#running.get(keyOf(server.id, task))
    if (!running || !isEqual(running.token, proof.token))
      return fail('not-logged-in', `no order of ${task} for ${addressText(server)} has this token`)
    if (proof.server !== addressText(server))
      return fail('undecodable', `the lines are of ${proof.server}, not of ${addressText(server)}`)
    return { ok: true, value: proof.log }
  }

  /** Hosts that run the script themselves send their lines over TLS; `localhost` is no address for a host elsewhere. */
  async #logPlace(server: ServerAddress, token: string): Promise<LogPlace | undefined> {
    const { settings } = this.#actor.state
    const address = settings['monitoring-address']
    const isHere = /^(localhost|127\.|::1)/
    if (isHere.test(address) && !isHere.test(server.host)) return undefined
    const host = address.includes(':') ? `[${address}]` : address
    const pin = await readPin({ apiBind: settings['api-bind'], apiPort: settings['api-port'] }, address)
    return {
      ...{ url: `https://${host}:${settings['api-port']}`, cluster: this.#actor.init.name, server, token },
      batch: settings['job-log-batch-size'],
      ...(pin === undefined ? {} : { pin }),
    }
  }
}

const keyOf = (server: ServerId, task: HostTask): string => `${server} ${task}`

const isEqual = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
