// The plan of this manager at its hosted service: that of the license, else that of the subscription; what it permits follows.

import type { WriteLog } from '../../../lib/base/log-codes.js'
import { MINUTE, SECOND } from '../../../lib/base/time.js'
import {
  type HostedPlan,
  leastPlan,
  permitsOf,
  readLicense,
  renderUri,
  uriOfSettings,
} from '../../../lib/hosted/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import { type Settings, withSettings } from '../../../lib/settings/index.js'

/** How soon another file of the license counts. */
const READ_MS = MINUTE
const PATIENCE_MS = 5 * SECOND

export interface PlanParts {
  readonly settings: () => Settings
  /** The plan of the subscription, as it was known last; undefined for a manager that is not registered. */
  readonly subscribed: () => HostedPlan | undefined
  readonly log: WriteLog<'info' | 'warn'>
  /** Another plan, or another finding. */
  readonly changed: () => void
  /** Where the public key lies, in specs. */
  readonly key?: string
}

/** Where the plan comes from. */
export type PlanSource = 'license' | 'subscription' | 'none'

interface Verdict {
  readonly plan: HostedPlan
  readonly source: PlanSource
  /** Why the license does not count. */
  readonly problem?: string
}

const nothing: Verdict = { plan: leastPlan, source: 'none' }

export class PlanInForce {
  readonly #parts: PlanParts
  #verdict: Verdict = nothing
  #timer: NodeJS.Timeout | undefined
  #judging: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(parts: PlanParts) {
    this.#parts = parts
  }

  /** Resolves when the plan is known, at once while `hosted` is off; after five seconds where the license cannot be read so long. */
  start(): Promise<void> {
    const given = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref())
    return Promise.race([this.judge(), given])
  }

  get plan(): HostedPlan {
    return this.#verdict.plan
  }

  get source(): PlanSource {
    return this.#verdict.source
  }

  /** Of the manager itself. */
  findings(): readonly Finding[] {
    const { problem } = this.#verdict
    return problem === undefined ? [] : [{ code: 'WARN0420', detail: `${problem}.` }]
  }

  /** The settings as alerts use them: forwarding is off where the plan does not permit it. */
  forwarding(settings: Settings | undefined): Settings | undefined {
    if (!settings?.hosted || !settings['hosted-alert'] || permitsOf(this.plan).forwardsAlerts) return settings
    return withSettings(settings, { 'hosted-alert': false })
  }

  /** Determines the plan, one time after the other; a settings change or another subscription may differ it. */
  judge(): Promise<void> {
    this.#judging = this.#judging.then(() => this.#judge())
    return this.#judging
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }

  async #judge(): Promise<void> {
    const { settings, log, changed } = this.#parts
    this.#watch()
    const before = this.#verdict
    this.#verdict = await this.#read(settings())
    const { plan, source, problem } = this.#verdict
    const isSamePlan = plan === before.plan && source === before.source
    if (problem !== undefined && problem !== before.problem) log('warn', 'hosted-license-refused', { problem })
    if (!isSamePlan) log('info', 'hosted-plan', { plan, source })
    if (!isSamePlan || problem !== before.problem) changed()
  }

  /** Reads the license again while there is one to read; nothing runs otherwise. */
  #watch(): void {
    const settings = this.#parts.settings()
    const isWanted = settings.hosted && settings['hosted-license-file'] !== '' && !this.#isClosed
    if (isWanted === (this.#timer !== undefined)) return
    clearInterval(this.#timer)
    this.#timer = isWanted ? setInterval(() => void this.judge(), READ_MS).unref() : undefined
  }

  async #read(settings: Settings): Promise<Verdict> {
    const { subscribed, key } = this.#parts
    if (!settings.hosted) return nothing
    const file = settings['hosted-license-file']
    if (file === '') {
      const plan = subscribed()
      return plan === undefined ? nothing : { plan, source: 'subscription' }
    }
    const own = uriOfSettings(settings)
    if (!own)
      return {
        ...{ plan: leastPlan, source: 'license' },
        problem: `${file}: hosted-domain, hosted-sub-domain and hosted-sub-domain-zone are not set`,
      }
    const license = await readLicense({ file, ...(key === undefined ? {} : { key }) }, own)
    return license.ok
      ? { plan: license.value.plan, source: 'license' }
      : {
          plan: leastPlan,
          source: 'license',
          problem: `${license.failure.message} (this manager is ${renderUri(own)})`,
        }
  }
}
