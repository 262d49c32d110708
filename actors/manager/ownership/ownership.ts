// Which clusters this instance owns: keeps its lease in etcd, takes what is free, gives up what it cannot prove.

import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, type Result } from '../../../lib/base/result.js'
import { SECOND, sleep } from '../../../lib/base/time.js'
import {
  type ClusterLoad,
  createTermBoard,
  decideOwnership,
  type Etcd,
  fleetKeys,
  hasLapsed,
  type InstanceRecord,
  instanceKey,
  leftOf,
  noTerm,
  type OwnershipAct,
  ownerKey,
  parseFleet,
  readTerm,
  termOf,
  thisMoment,
  writeTerm,
} from '../../../lib/lease/index.js'
import type { Finding } from '../../../lib/model/finding.js'

export interface OwnershipParts {
  readonly etcd: Etcd
  readonly prefix: string
  readonly leaseMs: number
  readonly self: InstanceRecord
  readonly clusters: () => readonly ClusterLoad[]
  /** Begins the cluster's life as its owner; its board has the term already. */
  begin(cluster: string, token: number): Promise<void>
  /** Ends that life and begins one that only watches; resolves when nothing of the first is left. */
  end(cluster: string): Promise<void>
  /** Whether an operation is running: a cluster is not moved meanwhile. */
  isBusy(cluster: string): Promise<boolean>
  /** What is known of the owners of some clusters is different now. */
  changed(): void
  readonly log: WriteLog
}

/** A lease is renewed so many times in its time. */
const RENEWALS = 5
/** Between two clusters that are handed over. */
const MOVE_MS = SECOND
/** How often a term that has ended is noticed. */
const CHECK_MS = 100
/** Checks between two comparisons of what clusters show. */
const SHOW_EVERY = 5
/** Claims at once. */
const AT_ONCE = 32
/** Longest goodbye. */
const REVOKE_MS = SECOND

interface Lease {
  readonly id: string
  /** When its latest time was asked for: it counts from then on. */
  readonly asked: ReturnType<typeof thisMoment>
}

export class Ownership {
  readonly #parts: OwnershipParts
  readonly #boards = new Map<string, SharedArrayBuffer>()
  /** Cluster → token under which it acts here. */
  readonly #held = new Map<string, number>()
  /** What is done about a cluster, one thing after the other. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Clusters that are being handed over: not taken back meanwhile. */
  readonly #releasing = new Set<string>()
  /** Since when clusters have had no owner, by the steady clock. */
  readonly #freeSince = new Map<string, number>()
  readonly #ending = new AbortController()
  #lease: Lease | undefined
  #fleet: ReturnType<typeof parseFleet> = { instances: [], owners: new Map() }
  #reconciling: Promise<void> | undefined
  #isAsked = false
  #movedAt = 0
  #shown = ''

  constructor(parts: OwnershipParts) {
    this.#parts = parts
  }

  /** The term of a cluster's ownership in shared memory. */
  board(cluster: string): SharedArrayBuffer {
    const known = this.#boards.get(cluster)
    if (known) return known
    const board = createTermBoard()
    this.#boards.set(cluster, board)
    return board
  }

  start(): void {
    void this.#keepLease()
    void this.#keepChecking()
    void this.#parts.etcd.watch(fleetKeys(this.#parts.prefix), () => this.#ask())
  }

  /** Whether this instance acts on the cluster now. */
  owns(cluster: string): boolean {
    const token = this.#held.get(cluster)
    return token !== undefined && this.#leftMs(cluster, token) > 0
  }

  /** The token under which this instance acts on the cluster. */
  token(cluster: string): number | undefined {
    return this.owns(cluster) ? this.#held.get(cluster) : undefined
  }

  /** The instance that owns the cluster, unless it is this one. */
  otherOwner(cluster: string): InstanceRecord | undefined {
    const { instance } = this.#fleet.owners.get(cluster) ?? {}
    return instance === undefined || instance === this.#parts.self.id ? undefined : this.instance(instance)
  }

  instance(id: string): InstanceRecord | undefined {
    return this.#fleet.instances.find((instance) => instance.id === id)
  }

  /** Whether a change of its settings may be made here. */
  permit(cluster: string): Result<void> {
    if (this.owns(cluster)) return done
    return fail(
      'not-owner',
      `${cluster} is owned by ${this.#ownerOf(cluster) ?? 'no instance at the moment'}: change it there`,
    )
  }

  findings(cluster: string): readonly Finding[] {
    if (this.owns(cluster)) return []
    if (this.#isCutOff()) return [{ code: 'ERR00181', detail: '' }]
    const owner = this.#ownerOf(cluster)
    return [{ code: 'WARN0362', detail: owner === undefined ? 'No instance owns it yet.' : `Owner: ${owner}.` }]
  }

  /** Gives all clusters up: the other instances take them at once. Call it when nothing acts any more. */
  async close(): Promise<void> {
    this.#ending.abort()
    for (const cluster of this.#held.keys()) writeTerm(this.board(cluster), noTerm)
    if (this.#lease) await this.#parts.etcd.revoke(this.#lease.id, REVOKE_MS)
    this.#parts.etcd.close()
  }

  #ownerOf(cluster: string): string | undefined {
    const { instance } = this.#fleet.owners.get(cluster) ?? {}
    if (instance === undefined) return undefined
    return this.#fleet.instances.find(({ id }) => id === instance)?.address ?? instance
  }

  /** Nothing has been heard of etcd for as long as a lease lasts. */
  #isCutOff(): boolean {
    return !this.#lease || leftOf(termOf(1, this.#lease.asked, this.#parts.leaseMs), 1, thisMoment()) === 0
  }

  #leftMs(cluster: string, token: number): number {
    const { leaseMs } = this.#parts
    if (!this.#lease || hasLapsed(this.board(cluster), token)) return 0
    return leftOf(termOf(token, this.#lease.asked, leaseMs), token, thisMoment())
  }

  async #keepLease(): Promise<void> {
    const { signal } = this.#ending
    const everyMs = this.#parts.leaseMs / RENEWALS
    while (!signal.aborted) {
      const begun = thisMoment().steady
      const wasThere = this.#lease?.id
      await (this.#lease ? this.#renew(this.#lease) : this.#begin())
      if (this.#lease?.id !== wasThere) this.#ask()
      await sleep(Math.max(CHECK_MS, everyMs - (thisMoment().steady - begun)), signal)
    }
  }

  /** The reads every so often are for a watch that hangs without a word. */
  async #keepChecking(): Promise<void> {
    const { signal } = this.#ending
    for (let turn = 0; !signal.aborted; turn += 1) {
      await sleep(CHECK_MS, signal)
      const hasEnded = [...this.#held].some(([cluster, token]) => this.#leftMs(cluster, token) === 0)
      if (hasEnded) this.#standDown()
      if (hasEnded || turn % Math.ceil(this.#parts.leaseMs / 2 / CHECK_MS) === 0) this.#ask()
      if (turn % SHOW_EVERY === 0) this.#show()
    }
  }

  async #begin(): Promise<void> {
    const { etcd, leaseMs, self, prefix } = this.#parts
    const asked = thisMoment()
    const granted = await etcd.grant(leaseMs / SECOND, leaseMs / 2)
    if (!granted.ok) return
    const value = JSON.stringify(self)
    const put = { type: 'put', key: instanceKey(prefix, self.id), value, lease: granted.value } as const
    const shown = await etcd.commit([], [put], leaseMs / 2)
    if (shown.ok) this.#lease = { id: granted.value, asked }
  }

  async #renew({ id }: Lease): Promise<void> {
    const { etcd, leaseMs } = this.#parts
    const asked = thisMoment()
    const renewed = await etcd.renew(id, leaseMs / RENEWALS)
    if (!renewed.ok) return
    if (!renewed.value) {
      this.#lease = undefined
      return this.#standDown()
    }
    this.#lease = { id, asked }
    for (const [cluster, token] of this.#held) {
      const board = this.board(cluster)
      // One that begins has none yet.
      if (readTerm(board).token === token && !hasLapsed(board, token)) writeTerm(board, termOf(token, asked, leaseMs))
    }
  }

  /** Ends what can no longer be proven, whether etcd answers or not. */
  #standDown(): void {
    for (const [cluster, token] of this.#held) if (this.#leftMs(cluster, token) === 0) this.#end(cluster)
  }

  #ask(): void {
    this.#isAsked = true
    this.#reconciling ??= this.#reconcile().finally(() => {
      this.#reconciling = undefined
    })
  }

  async #reconcile(): Promise<void> {
    const { etcd, prefix } = this.#parts
    while (this.#isAsked && !this.#ending.signal.aborted) {
      this.#isAsked = false
      const stored = await etcd.range(fleetKeys(prefix))
      if (!stored.ok) return
      this.#fleet = parseFleet(prefix, stored.value)
      this.#noteFree()
      const acts = decideOwnership(this.#view())
      for (let at = 0; at < acts.length; at += AT_ONCE)
        await Promise.all(acts.slice(at, at + AT_ONCE).map((act) => this.#perform(act)))
      this.#show()
    }
  }

  #view() {
    const { self, clusters, leaseMs } = this.#parts
    const { steady } = thisMoment()
    return {
      ...{ self: self.id, leased: !this.#isCutOff(), ...this.#fleet, held: this.#held },
      clusters: clusters().filter(({ name }) => !this.#releasing.has(name)),
      overdue: new Set([...this.#freeSince].flatMap(([name, since]) => (steady - since > leaseMs / 2 ? [name] : []))),
    }
  }

  #noteFree(): void {
    const { steady } = thisMoment()
    for (const { name } of this.#parts.clusters()) {
      if (this.#fleet.owners.has(name)) this.#freeSince.delete(name)
      else if (!this.#freeSince.has(name)) this.#freeSince.set(name, steady)
    }
  }

  async #perform(act: OwnershipAct): Promise<void> {
    switch (act.type) {
      case 'stand-down':
        return this.#end(act.cluster)
      case 'claim':
        return this.#claim(act.cluster)
      case 'take':
        return this.#take(act.cluster, act.token)
      case 'release':
        return this.#release(act.cluster, act.to)
    }
  }

  async #claim(cluster: string): Promise<void> {
    const { etcd, prefix, self } = this.#parts
    if (!this.#lease) return
    const key = ownerKey(prefix, cluster)
    const value = JSON.stringify({ instance: self.id })
    const claimed = await etcd.commit([{ key, created: 0 }], [{ type: 'put', key, value, lease: this.#lease.id }])
    if (claimed.ok && claimed.value.done) this.#take(cluster, claimed.value.revision)
    // Someone else was faster, or the reply is lost: the next reading shows which.
    else this.#isAsked ||= claimed.ok
  }

  #take(cluster: string, token: number): void {
    const { leaseMs, begin, log } = this.#parts
    if (this.#isCutOff()) return
    // A life that lapsed under this token keeps its board: the next one has another.
    writeTerm(this.board(cluster), noTerm)
    this.#boards.delete(cluster)
    this.#held.set(cluster, token)
    log('info', 'cluster-owned', { cluster, token })
    void this.#inTurn(cluster, async () => {
      if (this.#held.get(cluster) !== token || !this.#lease) return
      writeTerm(this.board(cluster), termOf(token, this.#lease.asked, leaseMs))
      await begin(cluster, token)
    })
  }

  #end(cluster: string): void {
    const { end, log } = this.#parts
    if (!this.#held.delete(cluster)) return
    writeTerm(this.board(cluster), noTerm)
    log('warn', 'cluster-given-up', { cluster, reason: 'its ownership cannot be proven, or is another one by now' })
    void this.#inTurn(cluster, () => end(cluster))
  }

  async #release(cluster: string, to: string): Promise<void> {
    const { etcd, prefix, end, isBusy, log } = this.#parts
    const token = this.#held.get(cluster)
    const { steady } = thisMoment()
    if (token === undefined || steady - this.#movedAt < MOVE_MS || (await isBusy(cluster))) return
    this.#movedAt = steady
    this.#releasing.add(cluster)
    this.#held.delete(cluster)
    writeTerm(this.board(cluster), noTerm)
    log('info', 'cluster-handed-over', {
      cluster,
      to: this.#fleet.instances.find(({ id }) => id === to)?.address ?? to,
    })
    void this.#inTurn(cluster, async () => {
      await end(cluster)
      const key = ownerKey(prefix, cluster)
      await etcd.commit([{ key, created: token }], [{ type: 'delete', key }])
      this.#releasing.delete(cluster)
      this.#ask()
    })
  }

  /** Announces to the clusters when something that they show has changed. */
  #show(): void {
    const shown = JSON.stringify(
      this.#parts.clusters().map(({ name }) => [name, this.findings(name).map(({ code, detail }) => code + detail)]),
    )
    if (shown === this.#shown) return
    this.#shown = shown
    this.#parts.changed()
  }

  #inTurn(cluster: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(cluster) ?? Promise.resolve()).then(work).catch((error: unknown) => {
      this.#parts.log('error', 'ownership-failed', { cluster, problem: String(error) })
    })
    this.#turns.set(cluster, turn)
    return turn
  }
}
