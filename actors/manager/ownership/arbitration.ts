// The clusters on which an arbitrator lets this instance act: reports what it sees, takes what it wins, stops at what it loses.
import path from 'node:path'
import * as z from 'zod'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, ok, type Result } from '../../../lib/base/result.js'
import { reveal } from '../../../lib/base/secret.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import {
  type ArbitratorAddress,
  ArbitratorSession,
  createTermBoard,
  hasLapsed,
  leftOf,
  noTerm,
  type Released,
  type Ruling,
  readTerm,
  termOf,
  thisMoment,
  writeConfirmed,
  writeTerm,
} from '../../../lib/lease/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import { createScriptQueue } from '../../../lib/notify/index.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { readState, type StateFormat, writeState } from '../../../lib/store/index.js'
import type { ClusterProtocol, TenureInit } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'
import type { Clusters, Sharing } from '../configuration/clusters.js'
import { PeerWatch } from './peer-watch.js'
import { type Seen, sightOf } from './sight.js'

/** Between two reports, also while the primary of a cluster that is held here fails. */
const REPORT_MS = SECOND
const URGENT_MS = SECOND / 4
/** How often a term that has ended is noticed, and how many of these checks lie between two comparisons of what clusters show. */
const CHECK_MS = 100
const SHOW_EVERY = 5
/** Longest wait for a cluster to say what it sees. */
const SNAPSHOT_MS = SECOND / 2
/** From then on an arbitrator that does not answer is a finding. */
const SILENT_MS = 3 * SECOND
/** Until the arbitrator has said how long its leases last. */
const FIRST_LEASE_MS = 10 * SECOND

type Won = Extract<Ruling, { readonly type: 'won' }>

export interface ArbitrationOptions {
  readonly arbitrator: ArbitratorAddress
  readonly peers: readonly string[]
  readonly script: string
  readonly directory: string
}

/** Undefined where this manager asks no arbitrator. */
export function readArbitration(settings: Settings): ArbitrationOptions | undefined {
  const address = splitAddress(settings['arbitration-external-hosts'])
  if (!settings['arbitration-external'] || !address) return undefined
  const uid = settings['arbitration-external-unique-id']
  const timeoutMs = settings['arbitration-read-timeout']
  return {
    arbitrator: { ...address, uid, timeoutMs, secret: reveal(settings['arbitration-external-secret']) },
    peers: settings['arbitration-peer-hosts'],
    script: settings['arbitration-failed-master-script'],
    directory: settings['monitoring-datadir'],
  }
}

export interface ArbitrationParts {
  readonly options: ArbitrationOptions
  readonly clusters: Clusters
  readonly ref: (cluster: string) => ActorRef<ClusterProtocol> | undefined
  /** A cluster is owned here from now on. */
  readonly begun: (cluster: string) => Promise<void>
  readonly changed: () => void
  readonly log: WriteLog
}

/** Cluster → the latest term under which it was owned here. */
const format: StateFormat<Readonly<Record<string, number>>> = {
  version: 1,
  accept: (value) => z.record(z.string(), z.number()).safeParse(value).data,
}

export class Arbitration implements Sharing {
  readonly onlyInFiles = false
  readonly #parts: ArbitrationParts
  readonly #session: ArbitratorSession
  readonly #peers: PeerWatch
  readonly #scripts
  readonly #boards = new Map<string, SharedArrayBuffer>()
  /** Cluster → term under which it acts here. */
  readonly #held = new Map<string, number>()
  /** Moment at which the latest grant of what is held was asked for. */
  readonly #asked = new Map<string, ReturnType<typeof thisMoment>>()
  readonly #rulings = new Map<string, Ruling>()
  /** Latest terms under which clusters were owned here, over restarts. */
  readonly #owned = new Map<string, number>()
  /** Clusters whose journal is that of their latest owner. */
  readonly #resumes = new Set<string>()
  /** Greatest term that was heard of, of each cluster. */
  readonly #terms = new Map<string, number>()
  /** Grants to give back: nothing acts under them any more. */
  readonly #releases = new Map<string, number>()
  /** What is done about a cluster, one thing after the other. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Cluster → term of the winner for which the script has run. */
  readonly #scripted = new Map<string, number>()
  readonly #ending = new AbortController()
  /** Cluster → since when no primary of it is known. */
  readonly #blindSince = new Map<string, number>()
  #leaseMs = FIRST_LEASE_MS
  #heardAt = thisMoment().steady
  #problem = ''
  #shown = ''

  constructor(parts: ArbitrationParts) {
    this.#parts = parts
    const { arbitrator, peers } = parts.options
    this.#session = new ArbitratorSession(arbitrator)
    this.#peers = new PeerWatch({ peers, uid: arbitrator.uid, timeoutMs: arbitrator.timeoutMs })
    this.#scripts = createScriptQueue({ log: (line) => parts.log('info', 'arbitration-script', { line }) })
  }

  start(): void {
    this.#heardAt = thisMoment().steady
    this.#peers.start()
    void this.#keepReporting()
    void this.#keepChecking()
  }

  /** Gives all clusters back: the other instances win them at once. Call it when nothing acts any more. */
  async close(): Promise<void> {
    this.#ending.abort()
    this.#peers.close()
    const held = [...this.#held].map(([cluster, term]): Released => ({ cluster, term }))
    for (const { cluster } of held) writeTerm(this.board(cluster), noTerm)
    this.#held.clear()
    await Promise.all([this.#session.report([], held), this.#scripts.close()])
    this.#session.close()
  }

  board(cluster: string): SharedArrayBuffer {
    const known = this.#boards.get(cluster)
    if (known) return known
    const board = createTermBoard()
    this.#boards.set(cluster, board)
    return board
  }

  /** Whether this instance acts on the cluster now. */
  owns(cluster: string): boolean {
    return this.#leftMs(cluster) > 0
  }

  /** While the arbitrator does not answer, the latest owner goes on sending alerts: of that, too. */
  speaks(cluster: string): boolean {
    if (this.owns(cluster)) return true
    const ruling = this.#rulings.get(cluster)
    return this.#isSilent() && ruling?.type === 'won'
  }

  tenure(cluster: string): TenureInit {
    return { board: this.board(cluster), leaseMs: this.#leaseMs, resumes: this.#resumes.has(cluster) }
  }

  /** Each instance has settings of its own. */
  permit(): Result<void> {
    return done
  }

  async keep(): Promise<Result<void>> {
    return done
  }

  async newer(): Promise<Result<undefined>> {
    return ok(undefined)
  }

  findings(cluster: string): readonly Finding[] {
    const silence = this.#peers.silence()
    const parted: readonly Finding[] = silence === undefined ? [] : [{ code: 'WARN0079', detail: silence }]
    if (this.owns(cluster)) return parted
    const ruling = this.#rulings.get(cluster)
    const isSilent = this.#isSilent()
    if (!isSilent && !ruling) return parted
    const unheard: readonly Finding[] = isSilent ? [{ code: 'ERR00055', detail: `${this.#problem}.` }] : []
    if (silence !== undefined)
      return [
        ...parted,
        ...unheard,
        { code: 'ERR00068', detail: isSilent ? 'The arbitrator is silent.' : textOf(ruling) },
      ]
    return isSilent ? unheard : [{ code: 'WARN0362', detail: textOf(ruling) }]
  }

  #leftMs(cluster: string): number {
    const [term, asked] = [this.#held.get(cluster), this.#asked.get(cluster)]
    if (term === undefined || !asked || hasLapsed(this.board(cluster), term)) return 0
    return leftOf(termOf(term, asked, this.#leaseMs), term, thisMoment())
  }

  #isSilent(): boolean {
    return thisMoment().steady - this.#heardAt > SILENT_MS
  }

  async #keepReporting(): Promise<void> {
    const { signal } = this.#ending
    await this.#recall()
    while (!signal.aborted) {
      const begun = thisMoment().steady
      const isUrgent = await this.#report().catch((error: unknown) => {
        this.#parts.log('error', 'ownership-failed', { problem: String(error) })
        return false
      })
      const pause = (isUrgent ? URGENT_MS : REPORT_MS) - (thisMoment().steady - begun)
      await sleep(Math.max(CHECK_MS, pause), signal)
    }
  }

  /** Ends what can no longer be proven, whether the arbitrator answers or not. */
  async #keepChecking(): Promise<void> {
    const { signal } = this.#ending
    for (let turn = 1; !signal.aborted; turn += 1) {
      await sleep(CHECK_MS, signal)
      for (const cluster of [...this.#held.keys()])
        if (this.#leftMs(cluster) === 0) this.#end(cluster, 'the lease was not renewed', true)
      if (turn % SHOW_EVERY === 0) this.#show()
    }
  }

  /** Answers whether the primary of a cluster that is held here fails. */
  async #report(): Promise<boolean> {
    const names = [...this.#parts.clusters.configuration.clusters.keys()]
    for (const cluster of this.#held.keys())
      if (!names.includes(cluster)) this.#end(cluster, 'it is not in the configuration any more')
    const seen = (await Promise.all(names.map((name) => this.#see(name)))).filter((one) => one !== undefined)
    if (this.#ending.signal.aborted) return false
    const releases = [...this.#releases].map(([cluster, term]): Released => ({ cluster, term }))
    const asked = thisMoment()
    const reports = seen.map(({ cluster, sight }) => ({ cluster, ...sight, term: this.#terms.get(cluster) ?? 0 }))
    const answered = await this.#session.report(reports, releases)
    if (this.#ending.signal.aborted) return false
    if (!answered.ok) {
      this.#problem = answered.failure.message
      if (this.#isSilent()) this.#noteSilence()
      return false
    }
    this.#heardAt = thisMoment().steady
    for (const { cluster, term } of releases) if (this.#releases.get(cluster) === term) this.#releases.delete(cluster)
    for (const one of seen) {
      const ruling = answered.value.get(one.cluster)
      if (ruling) this.#obey(one, ruling, asked)
    }
    this.#show()
    return seen.some(({ cluster, sight }) => sight.failing && this.#held.has(cluster))
  }

  async #see(cluster: string): Promise<Seen | undefined> {
    const at = now()
    const snapshot = await this.#parts.ref(cluster)?.ask('snapshot', {}, { deadlineMs: SNAPSHOT_MS })
    if (!snapshot?.ok) return undefined
    if (snapshot.value.primary !== undefined) this.#blindSince.delete(cluster)
    else if (!this.#blindSince.has(cluster)) this.#blindSince.set(cluster, at)
    const context = { cluster, at, now: now(), split: this.#peers.silence() !== undefined }
    return sightOf(snapshot.value, { ...context, blindSince: this.#blindSince.get(cluster) ?? at })
  }

  #obey(seen: Seen, ruling: Ruling, asked: ReturnType<typeof thisMoment>): void {
    const { cluster } = seen
    const before = this.#held.get(cluster)
    this.#rulings.set(cluster, ruling)
    this.#terms.set(cluster, Math.max(ruling.term, this.#terms.get(cluster) ?? 0))
    if (ruling.type === 'lost') {
      if (before !== undefined) {
        this.#parts.log('warn', 'arbitration-lost', { cluster, reason: textOf(ruling) })
        this.#end(cluster, 'another instance may act on it')
      }
      this.#closePrimary(seen, ruling)
      return
    }
    this.#leaseMs = ruling.leaseMs
    if (before !== undefined && before !== ruling.term) this.#end(cluster, 'its term is another one by now')
    if (this.#held.has(cluster)) this.#prolong(seen, ruling, asked)
    else this.#take(cluster, ruling.term, asked)
  }

  #prolong({ cluster, sight, at }: Seen, ruling: Won, asked: ReturnType<typeof thisMoment>): void {
    const board = this.board(cluster)
    if (hasLapsed(board, ruling.term)) return
    this.#asked.set(cluster, asked)
    // One that begins has none yet.
    if (readTerm(board).token === ruling.term) writeTerm(board, termOf(ruling.term, asked, ruling.leaseMs))
    writeConfirmed(board, ruling.confirmed && sight.failing ? at : 0)
  }

  #take(cluster: string, term: number, asked: ReturnType<typeof thisMoment>): void {
    const { clusters, begun, changed, log } = this.#parts
    // A life that lapsed under this term keeps its board: the next one has another.
    writeTerm(this.board(cluster), noTerm)
    this.#boards.delete(cluster)
    this.#held.set(cluster, term)
    this.#asked.set(cluster, asked)
    this.#releases.delete(cluster)
    log('info', 'cluster-owned', { cluster, token: term })
    void this.#inTurn(cluster, async () => {
      await this.#noteOwned(cluster, term)
      const latest = this.#asked.get(cluster)
      if (this.#held.get(cluster) !== term || !latest) return
      writeTerm(this.board(cluster), termOf(term, latest, this.#leaseMs))
      const restarted = await clusters.restart(cluster)
      if (!restarted.ok) log('error', 'cluster-not-begun', { cluster, problem: restarted.failure.message })
      await begun(cluster)
      changed()
    })
  }

  /**
   * Stops acting at once; the grant is given back when nothing of this life is left. One that could only not be renewed is kept: it is
   * prolonged when the arbitrator answers again, unless another instance has won by then.
   */
  #end(cluster: string, reason: string, keeps = false): void {
    const { clusters, changed, log } = this.#parts
    const term = this.#held.get(cluster)
    if (term === undefined) return
    this.#held.delete(cluster)
    writeTerm(this.board(cluster), noTerm)
    log('warn', 'cluster-given-up', { cluster, reason })
    void this.#inTurn(cluster, async () => {
      if (clusters.settings(cluster)) await clusters.restart(cluster)
      if (!keeps && !this.#held.has(cluster)) this.#releases.set(cluster, term)
      changed()
    })
  }

  /** While the sites are parted and both have a primary, that of this one is to take no writes. */
  #closePrimary({ cluster, sight }: Seen, { term, primary = '' }: Extract<Ruling, { readonly type: 'lost' }>): void {
    const { script } = this.#parts.options
    const own = splitAddress(sight.primary)
    const differs = own && !sight.failing && primary !== '' && primary !== sight.primary
    if (script === '' || !differs || !sight.split || this.#scripted.get(cluster) === term) return
    this.#scripted.set(cluster, term)
    this.#scripts.add({ script, args: [own.host, String(own.port)] })
  }

  async #recall(): Promise<void> {
    const { value = {}, damage } = await readState(this.#file, format)
    for (const problem of damage) this.#parts.log('error', 'ownership-failed', { problem })
    for (const [cluster, term] of Object.entries(value)) {
      this.#owned.set(cluster, term)
      this.#terms.set(cluster, term)
    }
  }

  /** What is left unfinished in the journal here is this owner's to settle only if nobody else has owned the cluster since. */
  async #noteOwned(cluster: string, term: number): Promise<void> {
    const before = this.#owned.get(cluster)
    if (before === term || before === term - 1) this.#resumes.add(cluster)
    else this.#resumes.delete(cluster)
    this.#owned.set(cluster, term)
    const written = await writeState(this.#file, format, Object.fromEntries(this.#owned))
    if (!written.ok) this.#parts.log('error', 'ownership-failed', { cluster, problem: written.failure.message })
  }

  get #file(): string {
    return path.join(this.#parts.options.directory, 'arbitration.json')
  }

  #noteSilence(): void {
    if (this.#shown.includes('ERR00055')) return
    this.#parts.log('error', 'arbitrator-silent', { problem: this.#problem })
  }

  /** Announces to the clusters when something that they show has changed. */
  #show(): void {
    const shown = JSON.stringify(
      [...this.#parts.clusters.configuration.clusters.keys()].map((name) => [
        name,
        this.findings(name).map(({ code, detail }) => code + detail),
      ]),
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

const reasons = {
  held: 'acts on it',
  better: 'sees more of it',
  starting: 'The arbitrator has just started, and waits until an earlier grant has ended.',
} as const

function textOf(ruling: Ruling | undefined): string {
  if (ruling?.type !== 'lost') return 'No instance may act on it at the moment.'
  const { reason, winner, primary = '' } = ruling
  if (reason === 'starting') return reasons.starting
  const on = primary === '' ? '' : `; its primary: ${primary}`
  return `The manager of arbitration-external-unique-id ${winner ?? 0} ${reasons[reason]}${on}.`
}
