// A cluster in virtual time: servers, who can reach whom, writers that remember what was acknowledged, and the commands
// of plans as real servers would perform them.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import type { Command } from '../../../lib/model/operation/command.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import type { Reading } from '../../../lib/model/server/reading.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import {
  idOf,
  type Link,
  nameOf,
  newLink,
  newServer,
  numberOf,
  readState,
  type SimulatedServer,
  same,
  type Transaction,
} from './server.js'
import { NOW } from './situation.js'

export const MANAGER = 0

export interface WorldOptions {
  readonly servers: number
  readonly semiSync?: boolean
  /** The event scheduler runs everywhere, also by the files, and an event of root writes each second. */
  readonly events?: boolean
}

/** How often the event is due. */
const EVENT_MS = 1_000

/** db1 is the writable primary, the others follow it. */
export class World {
  now = NOW
  readonly servers: readonly SimulatedServer[]
  /** Acknowledged to a client: these may never be lost. */
  readonly acknowledged: Transaction[] = []
  readonly crashes: Crash[] = []
  readonly tails: string[] = []
  /** Servers that were opened although a server that can be reached held what they had lost, and what that was. */
  readonly breaches: string[] = []
  /** Of these, the ones that a probe of the opened server shows: its position does not cover what it is missing. */
  readonly shownBreaches: string[] = []
  /** Where the proxies send writes; undefined holds them. */
  route: ServerId | undefined = 'db1'
  readonly #cut = new Set<string>()
  readonly #semiSync: boolean
  /** Servers on which the event wrote although they were read-only, once for each time. */
  readonly strayEvents: ServerId[] = []
  #writes = 0

  constructor({ servers, semiSync = false, events = false }: WorldOptions) {
    this.#semiSync = semiSync
    this.servers = Array.from({ length: servers }, (_, index) => newServer(index + 1, NOW - 3_600_000))
    for (const server of this.servers) {
      if (server.number === 1)
        Object.assign(server, { readOnly: false, readOnlyByFile: false, sourceEnabled: semiSync })
      else server.link = newLink(1)
      server.replicaEnabled = semiSync
      if (events)
        Object.assign(server, {
          ...{ scheduler: true, schedulerByFile: true },
          event: server.number === 1 ? 'enabled' : 'dormant',
        })
    }
  }

  server(of: number | ServerId): SimulatedServer {
    const number = typeof of === 'number' ? of : numberOf(of)
    const found = this.servers[number - 1]
    if (!found) throw new Error(`no server ${of}`)
    return found
  }

  cut(a: number, b: number): void {
    this.#cut.add(`${a}-${b}`).add(`${b}-${a}`)
  }

  heal(): void {
    this.#cut.clear()
  }

  canReach(from: number, to: number): boolean {
    return !this.#cut.has(`${from}-${to}`)
  }

  kill(number: number): void {
    const server = this.server(number)
    Object.assign(server, { up: false, hung: false, frozen: false })
    if (server.link) server.link.relay = []
  }

  /** What a crash, an old copy or an empty disk in its place takes: its last transactions. Down, or without a restart. */
  forget(number: number, count = Number.POSITIVE_INFINITY): void {
    const server = this.server(number)
    server.log = server.log.slice(0, Math.max(0, server.log.length - count))
    if (server.log.length === 0) server.link = undefined
  }

  start(number: number): void {
    const server = this.server(number)
    if (server.up) return
    Object.assign(server, { up: true, startedAt: this.now, readOnly: server.readOnlyByFile, sourceEnabled: false })
    server.scheduler = server.schedulerByFile
    if (server.link) Object.assign(server.link, { io: 'connecting', sql: 'running', ioCode: 0 })
  }

  /** Time passes: replication flows where it can. */
  pass(ms: number): void {
    const due = Math.floor((this.now + ms) / EVENT_MS) > Math.floor(this.now / EVENT_MS)
    this.now += ms
    if (due) for (const server of this.servers) this.#runEvent(server)
    for (let round = 0; round < this.servers.length; round += 1)
      for (const server of this.servers) if (server.up && !server.hung) this.#replicate(server)
  }

  /** As its definer writes: read-only does not stop it, a lock does. */
  #runEvent(server: SimulatedServer): void {
    if (!server.up || server.hung || server.frozen || !server.scheduler || server.event !== 'enabled') return
    if (server.readOnly) this.strayEvents.push(idOf(server.number))
    this.#log(server)
  }

  #log(server: SimulatedServer, more: Pick<Transaction, 'enables'> = {}): Transaction {
    const sequence = (server.log.at(-1)?.sequence ?? 0) + 1
    const transaction = { origin: server.number, sequence, write: this.#writes, ...more }
    this.#writes += 1
    server.log.push(transaction)
    return transaction
  }

  /** A client writes; true when it was acknowledged. */
  write(number: number): boolean {
    const server = this.server(number)
    if (!server.up || server.hung || server.readOnly || server.frozen) return false
    const transaction = this.#log(server)
    if (server.sourceEnabled) {
      const takers = this.#clientsOf(server)
      for (const taker of takers) this.#receive(taker, taker.link)
      if (!takers.some((taker) => same(taker.link?.relay.at(-1) ?? taker.log.at(-1), transaction))) return false
    }
    // A primary that its restart left asynchronous promises nothing; that is a finding, not a loss.
    if (server.sourceEnabled || !this.#semiSync) this.acknowledged.push(transaction)
    return true
  }

  probe(number: number): Reading {
    const server = this.server(number)
    const base = { server: idOf(number), at: this.now, tookMs: 1 }
    if (!this.canReach(MANAGER, number) || (server.up && server.hung))
      return { ...base, observation: 'silent', tookMs: 0, error: { code: 'timeout', message: 'no answer' } }
    if (!server.up) return { ...base, observation: 'refused', error: { code: 'ECONNREFUSED', message: 'refused' } }
    const state = readState(server, { now: this.now, clients: this.#clientsOf(server).length })
    return { ...base, observation: 'answered', state }
  }

  /** Performs one command of a plan. */
  perform(command: Command): Result<string> {
    if (command.type === 'route-writes') this.route = command.primary
    if (command.type === 'record-crash') this.crashes.push(command.crash)
    if (!('server' in command)) return ok(command.type)
    const server = this.server(command.server)
    if (command.type === 'fence' && !server.up) return ok('nothing to fence')
    const isSilent = !server.up || server.hung || !this.canReach(MANAGER, server.number)
    if (command.type === 'take-back' && isSilent) return ok('it does not answer')
    if (isSilent) return fail(server.up ? 'sql-silent' : 'sql-refused', `${command.server} does not answer`)
    return this.#performOn(server, command)
  }

  #performOn(server: SimulatedServer, command: Command): Result<string> {
    const { link } = server
    switch (command.type) {
      case 'fence':
      case 'make-read-only':
        server.readOnly = true
        return ok('closed')
      case 'take-back': {
        // One that was sent the order to take writes is closed to be asked; one that was not is left as it is.
        if (server.ordered) server.readOnly = true
        const { log } = this.server(command.oldPrimary)
        const own = server.log.some((one) => !log.some((other) => same(one, other)))
        if (!server.readOnly || own) return fail('step-failed', 'it keeps the role')
        return ok('closed')
      }
      case 'make-writable':
        this.#open(server)
        server.ordered = true
        return ok('open')
      case 'freeze':
        Object.assign(server, { readOnly: true, frozen: true })
        return ok('frozen')
      case 'unfreeze':
        Object.assign(server, { frozen: false, readOnly: true })
        if (command.writable) this.#open(server)
        return ok('released')
      case 'stop-receiving':
        if (link) Object.assign(link, { io: 'stopped', ioCode: 0 })
        return ok('stopped')
      case 'stop-replication':
        if (link) Object.assign(link, { io: 'stopped', sql: 'stopped', ioCode: 0 })
        return ok('stopped')
      case 'start-replication':
        if (!link) return fail('not-replicating', `${command.server} has no source`)
        Object.assign(link, { io: 'connecting', sql: 'running' })
        this.#replicate(server)
        return ok('started')
      case 'apply-received':
        return this.#applied(server, link?.relay ?? [])
      case 'catch-up':
        return this.#caughtUp(server, this.server(command.source))
      case 'promote':
        server.link = undefined
        return ok('promoted')
      case 'repoint':
        return this.#fetchOwn(server, command)
      case 'set-semi-sync':
        Object.assign(server, { sourceEnabled: command.source, replicaEnabled: command.replica })
        return ok('set')
      case 'set-events':
        server.scheduler = command.on
        return ok('set')
      case 'enable-events':
        if (server.event !== 'dormant') return ok('nothing to enable')
        server.event = 'enabled'
        this.#log(server, { enables: true })
        return ok('enabled')
      case 'save-tail':
        this.tails.push(command.server)
        return ok('saved')
      default:
        return ok(command.type)
    }
  }

  #open(server: SimulatedServer): void {
    const missing = this.missingOn(server.number)
    if (server.readOnly && missing.length > 0) {
      const breach = `db${server.number} without ${missing.join(', ')}`
      this.breaches.push(breach)
      if (this.#shows(server)) this.shownBreaches.push(breach)
    }
    server.readOnly = false
  }

  /** Neither an own stream nor an earlier position: it looks like one that was filled from a copy. */
  #shows({ number, log }: SimulatedServer): boolean {
    return log.length === 0 || log.some(({ origin }) => origin === number) || this.#ownBeyond(number)
  }

  #ownBeyond(number: number): boolean {
    const position = this.server(number).log.at(-1)?.sequence ?? 0
    return this.servers.some(({ log }) => log.some(({ origin, sequence }) => origin === number && sequence >= position))
  }

  /** As the effect does: what it wrote itself is taken from the source only where the command says so. */
  #fetchOwn(server: SimulatedServer, { source, own }: Extract<Command, { readonly type: 'repoint' }>): Result<string> {
    server.keepsOwn = own !== undefined
    const followed = this.#repoint(server, numberOf(source))
    server.keepsOwn = false
    return followed
  }

  #repoint(server: SimulatedServer, source: number): Result<string> {
    if (server.link?.source === source && server.link.io !== 'stopped') return ok('follows already')
    server.link = newLink(source)
    server.link.io = 'connecting'
    this.#replicate(server)
    return server.link.ioCode === 1236 ? fail('step-failed', 'position unknown to the source') : ok('follows')
  }

  #applied(server: SimulatedServer, relay: readonly Transaction[]): Result<string> {
    if (server.link && server.link.sql === 'running' && server.applyRate > 0) this.#apply(server, server.link)
    return relay.length > 0 && server.link?.relay.length ? fail('deadline-passed', 'still applying') : ok('applied')
  }

  #caughtUp(server: SimulatedServer, source: SimulatedServer): Result<string> {
    this.#replicate(server)
    return source.log.every((one) => server.log.some((other) => same(one, other)))
      ? ok('caught up')
      : fail('deadline-passed', 'transactions are missing')
  }

  #clientsOf(source: SimulatedServer): readonly SimulatedServer[] {
    return this.servers.filter(
      (one) =>
        one.up && !one.hung && one.replicaEnabled && one.link?.source === source.number && one.link.io === 'running',
    )
  }

  #replicate(server: SimulatedServer): void {
    const { link } = server
    if (!link) return
    this.#receive(server, link)
    if (link.sql === 'running') this.#apply(server, link)
  }

  #receive(server: SimulatedServer, link: Link | undefined): void {
    if (!link || link.io === 'stopped') return
    const source = this.server(link.source)
    const silent = source.hung || !this.canReach(server.number, source.number)
    if (source.up && silent) return
    if (!source.up) {
      Object.assign(link, { io: 'connecting', ioCode: 2003 })
      return
    }
    const held = [...server.log, ...link.relay]
    const last = held.at(-1)
    const from = last ? source.log.findIndex((one) => same(one, last)) : -1
    if (last && from < 0) {
      Object.assign(link, { io: 'stopped', ioCode: 1236 })
      return
    }
    Object.assign(link, { io: 'running', ioCode: 0, heartbeats: link.heartbeats + 1 })
    const sent = source.log.slice(from + 1)
    link.relay.push(...(server.keepsOwn ? sent : sent.filter(({ origin }) => origin !== server.number)))
  }

  #apply(server: SimulatedServer, link: Link): void {
    const applied = link.relay.splice(0, Math.min(link.relay.length, server.applyRate))
    server.log.push(...applied)
    if (applied.some(({ enables }) => enables)) server.event = 'dormant'
  }

  /** Servers that would take a write now. */
  writable(): readonly number[] {
    return this.servers.filter(({ up, hung, readOnly }) => up && !hung && !readOnly).map(({ number }) => number)
  }

  /** Acknowledged transactions that are missing on a server. */
  lost(number: number): readonly string[] {
    const { log } = this.server(number)
    return this.acknowledged.filter((one) => !log.some((other) => one.write === other.write)).map(nameOf)
  }

  /** What servers that can be reached hold of a server's own writing and it does not: opening it would give names twice. */
  missingOn(number: number): readonly string[] {
    const { log } = this.server(number)
    const others = this.servers.filter((one) => one.number !== number && one.up && this.canReach(MANAGER, one.number))
    return others
      .flatMap((one) => [...one.log, ...(one.link?.relay ?? [])])
      .filter((one) => one.origin === number && !log.some((other) => same(one, other)))
      .map(nameOf)
  }

  hang(number: number): void {
    this.server(number).hung = true
  }

  wake(number: number): void {
    this.server(number).hung = false
  }
}
