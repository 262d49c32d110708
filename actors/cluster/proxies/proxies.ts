// The proxies of a cluster: made from the settings, probed and aligned with every tick.
import type { Result } from '../../../lib/base/result.js'
import { isSecret, reveal } from '../../../lib/base/secret.js'
import { SECOND } from '../../../lib/base/time.js'
import { doorsOf, openProxies } from '../../../lib/proxy/kinds.js'
import type {
  ProxyFilling,
  ProxyReading,
  ProxyTarget,
  ProxyTrouble,
  Proxy as RoutedProxy,
} from '../../../lib/proxy/kit/index.js'
import { isProxySetting } from '../../../lib/proxy/kit/services.js'
import type { Settings } from '../../../lib/settings/table/index.js'

const PROBE_MS = 2 * SECOND
/** Ticks between two alignments of unchanged proxies, and between two fillings. */
const REALIGN_TICKS = 15
/** Longest time of a filling. */
const FILL_MS = 20 * SECOND

export class ProxyWatch {
  readonly #observed: (reading: ProxyReading) => void
  readonly #probing = new Set<string>()
  #proxies: readonly RoutedProxy[] = []
  #settings: Settings | undefined
  /** By proxy: its last difference from what was configured. */
  readonly #differs = new Map<string, string>()
  #aligned = ''
  #aligning = false
  #ticks = 0
  /** By proxy: what was wrong when it was filled last. */
  readonly #troubles = new Map<string, readonly ProxyTrouble[]>()
  #filling = false
  #fillIn = 0

  constructor(observed: (reading: ProxyReading) => void) {
    this.#observed = observed
  }

  list(): readonly RoutedProxy[] {
    return this.#proxies
  }

  /** Proxies as the settings name them; unchanged settings change nothing. */
  set(settings: Settings): void {
    const before = this.#settings
    this.#settings = settings
    if (before !== undefined && haveSameProxies(before, settings)) return
    this.close()
    this.#proxies = openProxies(settings)
    this.#aligned = ''
    this.#differs.clear()
    this.#fillIn = 0
    this.#troubles.clear()
  }

  /** Probes every proxy that is not being probed. */
  probe(): void {
    for (const proxy of this.#proxies) {
      if (this.#probing.has(proxy.id)) continue
      this.#probing.add(proxy.id)
      void proxy
        .read(AbortSignal.timeout(PROBE_MS))
        .then((reading) => this.#observed(this.#completed(reading)))
        .finally(() => this.#probing.delete(proxy.id))
    }
  }

  /**
   * Makes every proxy match the target: at once when the target has changed or the last attempt failed, else now and
   * then, so that changes by others are corrected.
   */
  async align(target: ProxyTarget): Promise<void> {
    const key = JSON.stringify(target)
    this.#ticks += 1
    if (this.#proxies.length === 0 || this.#aligning) return
    if (key === this.#aligned && this.#ticks % REALIGN_TICKS !== 0) return
    this.#aligning = true
    const signal = AbortSignal.timeout(PROBE_MS)
    const proxies = this.#proxies
    const outcomes = await Promise.all(proxies.map((proxy) => proxy.apply(target, signal)))
    this.#aligning = false
    if (proxies !== this.#proxies) return
    this.#aligned = outcomes.every(({ ok }) => ok) ? key : ''
    for (const [index, { id }] of proxies.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined || outcome.ok) this.#differs.delete(id)
      else this.#differs.set(id, outcome.failure.message)
    }
  }

  /** Fills proxies with the users of the databases and with rules: now and then, so that it follows what changes. */
  async fill(users: () => Promise<Result<ProxyFilling>>): Promise<void> {
    const proxies = this.#proxies
    const open = proxies.filter(({ fillUsers, fillRules }) => fillUsers ?? fillRules)
    if (open.length === 0 || this.#filling) return
    this.#fillIn -= 1
    if (this.#fillIn >= 0) return
    this.#fillIn = REALIGN_TICKS
    this.#filling = true
    const filling = open.some(({ fillUsers }) => fillUsers) ? await users() : undefined
    const signal = AbortSignal.timeout(FILL_MS)
    const outcomes = await Promise.all(
      open.map(async ({ id, fillUsers, fillRules }) => {
        const filled = filling?.ok === false ? filling : filling && (await fillUsers?.(filling.value, signal))
        const ruled = await fillRules?.(signal)
        return [id, [...troublesOf(filled, 'ERR00053'), ...troublesOf(ruled, 'WARN0092')]] as const
      }),
    )
    this.#filling = false
    if (proxies !== this.#proxies) return
    for (const [id, troubles] of outcomes) this.#troubles.set(id, troubles)
  }

  /** With what only the manager knows of it. */
  #completed(reading: ProxyReading): ProxyReading {
    const differs = this.#differs.get(reading.id)
    const doors = this.#settings ? { doors: doorsOf(reading.kind, this.#settings) } : {}
    const troubles = this.#troubles.get(reading.id) ?? []
    return {
      ...{ ...reading, ...doors },
      ...(differs === undefined ? {} : { differs }),
      ...(troubles.length === 0 ? {} : { troubles }),
    }
  }

  close(): void {
    for (const proxy of this.#proxies) void proxy.close()
    this.#proxies = []
  }
}

function troublesOf(
  filled: Result<readonly ProxyTrouble[]> | undefined,
  code: ProxyTrouble['code'],
): readonly ProxyTrouble[] {
  if (filled === undefined) return []
  return filled.ok ? filled.value : [{ code, detail: filled.failure.message }]
}

/** Whether both settings name the same proxies, with the same logins and rules. */
const haveSameProxies = (left: Settings, right: Settings): boolean =>
  (Object.keys(right) as (keyof Settings)[])
    .filter(isProxySetting)
    .every((name) => textOf(left[name]) === textOf(right[name]))

const textOf = (value: unknown): string => (isSecret(value) ? reveal(value) : JSON.stringify(value))
