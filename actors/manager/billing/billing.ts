// The statements of the service: reads every few seconds what each owned cluster uses, adds it to the month, keeps and closes months.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, SECOND, steadyNow } from '../../../lib/base/time.js'
import {
  addTick,
  type ClusterStatement,
  closeMonth,
  clustersOf,
  emptyStatement,
  type Instant,
  joinStatements,
  LONGEST_GAP_MS,
  type Month,
  type MonthLedger,
  type MonthStatement,
  mayClose,
  monthOf,
  monthsOfTick,
  perFamily,
  renderCluster,
  type Sample,
  type StatementTraits,
  type Usage,
  withoutMarks,
} from '../../../lib/price/index.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import {
  isFinalMonth,
  listBillingMonths,
  readBillingMonth,
  type StoredMonth,
  setAsideBillingMonth,
  writeBillingMonth,
} from '../../../lib/store/index.js'
import type { PriceFace } from '../../protocol/manager/price.js'
import { openIdentities, pricesOf, readingsOf } from './terms.js'

/** A period of accounting, and how often the running month is written. */
const EVERY_MS = 10 * SECOND
const WRITE_MS = MINUTE
/** Clusters that are asked, or rendered, at the same time. */
const AT_ONCE = 50

export interface BillingParts {
  readonly directory: string
  /** Settings of a cluster as they are now, of the service for ''; undefined when it is unknown. */
  readonly settings: (cluster: string) => Settings | undefined
  /** Every cluster that is configured. */
  readonly clusters: () => readonly string[]
  /** What it uses; a failure while its actor does not answer. */
  readonly usage: (cluster: string) => Promise<Result<Usage>>
  /** The term under which this manager owns the cluster; undefined while it does not. */
  readonly term: (cluster: string) => number | undefined
  readonly log: WriteLog
}

interface Clock {
  /** Milliseconds since the epoch, as the machine's clock is set. */
  readonly wall: () => number
  readonly steady: () => number
}

export class Billing implements PriceFace {
  readonly #parts: BillingParts
  readonly #clock: Clock
  readonly #everyMs: number
  /** Months in memory: those that may grow, and closed ones that are not written yet, or that the clock is near to (without clusters). */
  readonly #ledgers = new Map<Month, MonthLedger>()
  /** Months that differ from their files. */
  readonly #unwritten = new Set<Month>()
  /** The latest rendering of each, for as long as its ledger is the same. */
  readonly #shown = new Map<Month, { readonly ledger: MonthLedger; readonly statement: MonthStatement }>()
  #timer: NodeJS.Timeout | undefined
  /** What is done, one thing after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  #busy = false
  #boot: string | undefined
  #startedAt = 0
  #writtenAt = Number.NEGATIVE_INFINITY
  #isRefused = false

  constructor(parts: BillingParts, { clock = systemClock, everyMs = EVERY_MS } = {}) {
    this.#parts = parts
    this.#clock = clock
    this.#everyMs = everyMs
  }

  /** Begins where the settings say so; call it again when they change. */
  changed(): void {
    if (this.#isOn() && !this.#timer) {
      this.#timer = setInterval(() => this.#period(), this.#everyMs)
      this.#timer.unref()
      this.#startedAt = this.#clock.steady()
      this.#period()
    } else if (!this.#isOn() && this.#timer) {
      clearInterval(this.#timer)
      this.#timer = undefined
      void this.#after(() => this.#end())
    }
  }

  /** Writes what is not written; nothing is accounted any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#after(() => this.#write())
  }

  async statement(month?: Month): Promise<Result<MonthStatement>> {
    const found = await this.#find(month)
    if (!found.ok) return found
    return ok(found.value.type === 'final' ? found.value.statement : await this.#render(found.value.ledger))
  }

  async clusterStatement(
    cluster: string,
    month?: Month,
  ): Promise<Result<{ readonly statement: MonthStatement; readonly cluster: ClusterStatement }>> {
    const found = await this.#find(month)
    if (!found.ok) return found
    const traits = this.#traits()
    if (found.value.type === 'open') {
      const own = renderCluster(found.value.ledger, cluster, traits.at)
      return ok({ statement: joinStatements(found.value.ledger, [own], traits), cluster: own })
    }
    const { statement } = found.value
    const own = statement.clusters[cluster] ?? emptyStatement(cluster)
    const { rate, monthCost, projected } = own
    return ok({ statement: { ...statement, clusters: { [cluster]: own }, rate, monthCost, projected }, cluster: own })
  }

  async months(): Promise<Result<readonly Month[]>> {
    const stored = await listBillingMonths(this.#parts.directory)
    return stored.ok ? ok([...new Set([...stored.value, ...this.#ledgers.keys()])].toSorted()) : stored
  }

  /** The month in memory, else in its file; of the running one without both, one without clusters. */
  async #find(month: Month | undefined): Promise<Result<StoredMonth>> {
    if (!this.#isOn()) return fail('disabled', 'hosted is false: no statements are made')
    const wanted = month ?? monthOf(this.#clock.wall())
    const ledger = this.#ledgers.get(wanted)
    // What is closed and written is in its file alone.
    if (ledger && (!ledger.final || this.#unwritten.has(wanted))) return ok({ type: 'open', ledger })
    const read = await readBillingMonth(this.#parts.directory, wanted)
    if (!read.ok) return read
    if (read.value.stored) return ok(read.value.stored)
    if (month !== undefined) return fail('no-statement', `nothing was accounted in ${month}`)
    return ok({
      type: 'open',
      ledger: { month: wanted, currency: this.#currency(), final: false, clusters: {} },
    })
  }

  #isOn(): boolean {
    return this.#parts.settings('')?.hosted ?? false
  }

  #currency(): string {
    return this.#parts.settings('')?.['hosted-cost-currency'] ?? ''
  }

  /** One period; the timer calls it. */
  account(): Promise<void> {
    return this.#after(() => this.#account())
  }

  /** A period that is not done when the next is due skips it: its time is in the next one. */
  #period(): void {
    if (this.#busy) return
    this.#busy = true
    void this.account().finally(() => {
      this.#busy = false
    })
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #account(): Promise<void> {
    if (!this.#isOn()) return
    if (this.#boot === undefined && !(await this.#begin())) return
    if (!(await this.#add([], new Set(this.#parts.clusters())))) return
    const owned = this.#parts.clusters().filter((name) => this.#parts.term(name) !== undefined)
    for (let first = 0; first < owned.length; first += AT_ONCE) {
      if (!(await this.#add(await this.#samples(owned.slice(first, first + AT_ONCE))))) return
      await nextTurn()
    }
    const instant = this.#instant()
    this.#closeMonths(instant)
    if (instant.steady - this.#writtenAt >= WRITE_MS) await this.#write()
    this.#forget(instant)
  }

  /** Months that are not closed, from the files. False: they cannot be read; the next period tries again. */
  async #begin(): Promise<boolean> {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => randomUUID())
    const months = await listBillingMonths(this.#parts.directory)
    if (!months.ok) return this.#refused('billing-unreadable', months.failure.message)
    for (const month of months.value) {
      if (await isFinalMonth(this.#parts.directory, month)) continue
      if (!(await this.#load(month))) return false
    }
    this.#boot = boot.trim()
    return true
  }

  /** Into memory, where there is a file. A file that cannot be used is set aside, so that the days before it are not lost silently. */
  async #load(month: Month): Promise<boolean> {
    if (this.#ledgers.has(month)) return true
    const { directory, log } = this.#parts
    const read = await readBillingMonth(directory, month)
    if (!read.ok) return this.#refused('billing-unreadable', read.failure.message)
    const { stored, damage: problem } = read.value
    if (problem !== undefined) {
      log('error', 'billing-damaged', { month, problem })
      await setAsideBillingMonth(directory, month)
    }
    if (stored?.type === 'open') this.#ledgers.set(month, stored.ledger)
    if (stored?.type === 'final')
      this.#ledgers.set(month, { month, currency: stored.statement.currency, final: true, clusters: {} })
    return true
  }

  /** Adds to the months what passed since the clusters were read before. False: the months cannot be read. */
  async #add(samples: readonly Sample[], known?: ReadonlySet<string>): Promise<boolean> {
    const instant = this.#instant()
    for (const month of monthsOfTick(instant)) if (!(await this.#load(month))) return false
    const tick = { instant, currency: this.#currency(), samples, ...(known ? { known } : {}) }
    const ledgers = addTick(Object.fromEntries(this.#ledgers), tick)
    for (const [month, ledger] of Object.entries(ledgers)) this.#put(month, ledger)
    return true
  }

  /** With the terms of the moment in which they are added: an ownership that ended while a cluster was read counts nothing. */
  async #samples(clusters: readonly string[]): Promise<readonly Sample[]> {
    const usages = await Promise.all(clusters.map((cluster) => this.#parts.usage(cluster)))
    const server = this.#parts.settings('')
    const identities = openIdentities()
    return clusters.flatMap((cluster, index) => {
      const usage = usages[index]
      const [term, settings] = [this.#parts.term(cluster), this.#parts.settings(cluster)]
      if (!usage?.ok || term === undefined || !settings || !server) return []
      const readings = readingsOf(usage.value, { server, cluster: settings })
      return [{ cluster, term, readings, ...identities(cluster, settings) }]
    })
  }

  #instant(): Instant {
    return {
      wall: Math.floor(this.#clock.wall()),
      steady: Math.floor(this.#clock.steady()),
      boot: this.#boot ?? '',
    }
  }

  #put(month: Month, ledger: MonthLedger): void {
    if (this.#ledgers.get(month) === ledger) return
    this.#ledgers.set(month, ledger)
    this.#unwritten.add(month)
  }

  /** Only after a while: a clock that is wrong at the start of the machine is set by then. */
  #closeMonths({ wall, steady }: Instant): void {
    if (steady - this.#startedAt < LONGEST_GAP_MS) return
    for (const [month, ledger] of this.#ledgers) {
      if (ledger.final || !mayClose(month, wall)) continue
      this.#put(month, closeMonth(ledger))
      this.#writtenAt = Number.NEGATIVE_INFINITY
    }
  }

  async #write(): Promise<void> {
    this.#writtenAt = this.#clock.steady()
    for (const month of [...this.#unwritten]) {
      const ledger = this.#ledgers.get(month)
      if (!ledger) continue
      const statement = await this.#render(ledger)
      const written = await writeBillingMonth(this.#parts.directory, statement, ledger)
      if (!written.ok) {
        this.#refused('billing-unwritten', written.failure.message)
        return
      }
      this.#isRefused = false
      this.#unwritten.delete(month)
      if (ledger.final) this.#closed(statement)
    }
  }

  #closed({ month, currency, monthCost, clusters }: MonthStatement): void {
    this.#parts.log('info', 'billing-closed', {
      ...{ month, clusters: Object.keys(clusters).length, cost: `${monthCost.toFixed(2)} ${currency}` },
    })
  }

  /** Closed months that are written, and no tick can write to. */
  #forget(instant: Instant): void {
    const near = new Set(monthsOfTick(instant))
    for (const [month, { final }] of this.#ledgers) {
      if (!final || this.#unwritten.has(month) || near.has(month)) continue
      this.#ledgers.delete(month)
      this.#shown.delete(month)
    }
  }

  /** The switch is off: what comes later begins a new stretch. */
  async #end(): Promise<void> {
    for (const [month, ledger] of this.#ledgers) if (!ledger.final) this.#put(month, withoutMarks(ledger))
    await this.#write()
    this.#ledgers.clear()
    this.#shown.clear()
    this.#boot = undefined
  }

  /** Some clusters after the other, with other work in between. */
  async #render(ledger: MonthLedger): Promise<MonthStatement> {
    const shown = this.#shown.get(ledger.month)
    if (shown?.ledger === ledger) return shown.statement
    const traits = this.#traits()
    const names = clustersOf(ledger)
    const clusters: ClusterStatement[] = []
    for (let first = 0; first < names.length; first += AT_ONCE) {
      clusters.push(...names.slice(first, first + AT_ONCE).map((name) => renderCluster(ledger, name, traits.at)))
      await nextTurn()
    }
    const statement = joinStatements(ledger, clusters, traits)
    if (this.#ledgers.get(ledger.month) === ledger) this.#shown.set(ledger.month, { ledger, statement })
    return statement
  }

  #traits(): StatementTraits {
    const server = this.#parts.settings('')
    return { at: this.#clock.wall(), prices: server ? pricesOf(server) : perFamily(() => 0) }
  }

  /** Logged once until it succeeds again. */
  #refused(code: 'billing-unreadable' | 'billing-unwritten', problem: string): false {
    if (!this.#isRefused) this.#parts.log('error', code, { problem })
    this.#isRefused = true
    return false
  }
}

const systemClock: Clock = { wall: Date.now, steady: steadyNow }
