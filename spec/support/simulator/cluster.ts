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
}

/** db1 is the writable primary, the others follow it. */
export class World {
  now = NOW
  readonly servers: readonly SimulatedServer[]
  /** Acknowledged to a client: these may never be lost. */
  readonly acknowledged: Transaction[] = []
  readonly crashes: Crash[] = []
  readonly tails: string[] = []
  /** Where the proxies send writes; undefined holds them. */
  route: ServerId | undefined = 'db1'
  readonly #cut = new Set<string>()
  readonly #semiSync: boolean

  constructor({ servers, semiSync = false }: WorldOptions) {
    this.#semiSync = semiSync
    this.servers = Array.from({ length: servers }, (_, index) => newServer(index + 1, NOW - 3_600_000))
    for (const server of this.servers) {
      if (server.number === 1)
        Object.assign(server, { readOnly: false, readOnlyByFile: false, sourceEnabled: semiSync })
      else server.link = newLink(1)
      server.replicaEnabled = semiSync
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

  start(number: number): void {
    const server = this.server(number)
    if (server.up) return
    Object.assign(server, { up: true, startedAt: this.now, readOnly: server.readOnlyByFile, sourceEnabled: false })
    if (server.link) Object.assign(server.link, { io: 'connecting', sql: 'running', ioCode: 0 })
  }

  /** Time passes: replication flows where it can. */
  pass(ms: number): void {
    this.now += ms
    for (let round = 0; round < this.servers.length; round += 1)
      for (const server of this.servers) if (server.up && !server.hung) this.#replicate(server)
  }

  /** A client writes; true when it was acknowledged. */
  write(number: number): boolean {
    const server = this.server(number)
    if (!server.up || server.hung || server.readOnly || server.frozen) return false
    const transaction = { origin: number, sequence: (server.log.at(-1)?.sequence ?? 0) + 1 }
    server.log.push(transaction)
    if (server.sourceEnabled) {
      const takers = this.#clientsOf(server)
      for (const taker of takers) this.#receive(taker, taker.link)
      if (!takers.some((taker) => same(taker.link?.relay.at(-1) ?? taker.log.at(-1), transaction))) return false
    }
    // A primary that its restart left asynchronous promises nothing; that is a finding, not a loss.
    if (server.sourceEnabled || !this.#semiSync) this.acknowledged.push(transaction)
    return true
  }

  look(number: number): Reading {
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
    if (!server.up || server.hung || !this.canReach(MANAGER, server.number))
      return fail(server.up ? 'sql-silent' : 'sql-refused', `${command.server} does not answer`)
    return this.#performOn(server, command)
  }

  #performOn(server: SimulatedServer, command: Command): Result<string> {
    const { link } = server
    switch (command.type) {
      case 'fence':
      case 'make-read-only':
        server.readOnly = true
        return ok('closed')
      case 'make-writable':
        server.readOnly = false
        return ok('open')
      case 'freeze':
        Object.assign(server, { readOnly: true, frozen: true })
        return ok('frozen')
      case 'unfreeze':
        Object.assign(server, { frozen: false, readOnly: !command.writable })
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
        return this.#repoint(server, numberOf(command.source))
      case 'set-semi-sync':
        Object.assign(server, { sourceEnabled: command.source, replicaEnabled: command.replica })
        return ok('set')
      case 'save-tail':
        this.tails.push(command.server)
        return ok('saved')
      default:
        return ok(command.type)
    }
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
      : fail('deadline-passed', 'lacks some')
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
    link.relay.push(...source.log.slice(from + 1))
  }

  #apply(server: SimulatedServer, link: Link): void {
    server.log.push(...link.relay.splice(0, Math.min(link.relay.length, server.applyRate)))
  }

  /** Servers that would take a write now. */
  writable(): readonly number[] {
    return this.servers.filter(({ up, hung, readOnly }) => up && !hung && !readOnly).map(({ number }) => number)
  }

  /** Acknowledged transactions that a server lacks. */
  lost(number: number): readonly string[] {
    const { log } = this.server(number)
    return this.acknowledged.filter((one) => !log.some((other) => same(one, other))).map(nameOf)
  }

  hang(number: number): void {
    this.server(number).hung = true
  }

  wake(number: number): void {
    this.server(number).hung = false
  }
}
