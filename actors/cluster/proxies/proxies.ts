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
import { hasReturned } from '../../../lib/proxy/kit/process.js'
import { isProxySetting } from '../../../lib/proxy/kit/services.js'
import type { Settings } from '../../../lib/settings/table/index.js'

const PROBE_MS = 2 * SECOND
/** Ticks between two alignments of unchanged proxies, and between two fillings. */
const REALIGN_TICKS = 15
/** Longest time of a filling. */
const FILL_MS = 20 * SECOND

/** One proxy, and what this manager did to it last. */
interface Watched {
  readonly proxy: RoutedProxy
  isProbing: boolean
  isAligning: boolean
  last?: ProxyReading
  /** The target that it was given, as text; empty when it has none, or may have forgotten it. */
  aligned: string
  /** How often it came back. */
  returns: number
  /** Its last difference from what was configured. */
  differs?: string
  /** What was wrong when it was filled last. */
  troubles: readonly ProxyTrouble[]
}

export class ProxyWatch {
  readonly #observed: (reading: ProxyReading) => void
  readonly #returned: () => void
  #watched: readonly Watched[] = []
  #settings: Settings | undefined
  #ticks = 0
  #filling = false
  #fillIn = 0

  /** `returned` is called when a proxy that was away answers again, or answers as another process: it waits to be aligned. */
  constructor(observed: (reading: ProxyReading) => void, returned: () => void) {
    this.#observed = observed
    this.#returned = returned
  }

  list(): readonly RoutedProxy[] {
    return this.#watched.map(({ proxy }) => proxy)
  }

  /** Proxies as the settings name them; unchanged settings change nothing. */
  set(settings: Settings): void {
    const before = this.#settings
    this.#settings = settings
    if (before !== undefined && haveSameProxies(before, settings)) return
    this.close()
    this.#watched = openProxies(settings).map((proxy) => ({
      ...{ proxy, isProbing: false, isAligning: false, aligned: '', returns: 0, troubles: [] },
    }))
    this.#fillIn = 0
  }

  /** Probes every proxy that is not being probed; called with every tick. */
  probe(): void {
    this.#ticks += 1
    for (const watched of this.#watched) {
      if (watched.isProbing) continue
      watched.isProbing = true
      void watched.proxy
        .read(AbortSignal.timeout(PROBE_MS))
        .then((reading) => {
          const isBack = hasReturned(watched.last, reading)
          watched.last = reading
          if (isBack) this.#comeBack(watched)
          this.#observed(this.#completed(watched, reading))
        })
        .finally(() => {
          watched.isProbing = false
        })
    }
  }

  /**
   * Makes every proxy match the target: at once when the target has changed, the last attempt failed or the proxy came back, else
   * now and then, so that changes by others are corrected.
   */
  async align(target: ProxyTarget): Promise<void> {
    const key = JSON.stringify(target)
    const isTurn = this.#ticks % REALIGN_TICKS === 0
    const due = this.#watched.filter(({ isAligning, aligned }) => !isAligning && (isTurn || aligned !== key))
    await Promise.all(due.map((watched) => this.#alignOne(watched, target, key)))
  }

  async #alignOne(watched: Watched, target: ProxyTarget, key: string): Promise<void> {
    const { returns } = watched
    watched.isAligning = true
    const outcome = await watched.proxy.apply(target, AbortSignal.timeout(PROBE_MS))
    watched.isAligning = false
    if (outcome.ok) delete watched.differs
    else watched.differs = outcome.failure.message
    const isSame = watched.returns === returns
    watched.aligned = outcome.ok && isSame ? key : ''
    // What it was given went to the process before it.
    if (!isSame) this.#returned()
  }

  /** A new process has the configuration of its start: neither the routes nor the users that it was given since. */
  #comeBack(watched: Watched): void {
    watched.returns += 1
    watched.aligned = ''
    this.#fillIn = 0
    this.#returned()
  }

  /** Fills proxies with the users of the databases and with rules: now and then, so that it follows what changes. */
  async fill(users: () => Promise<Result<ProxyFilling>>): Promise<void> {
    const open = this.#watched.filter(({ proxy: { fillUsers, fillRules } }) => fillUsers ?? fillRules)
    if (open.length === 0 || this.#filling) return
    this.#fillIn -= 1
    if (this.#fillIn >= 0) return
    this.#fillIn = REALIGN_TICKS
    this.#filling = true
    const filling = open.some(({ proxy }) => proxy.fillUsers) ? await users() : undefined
    const signal = AbortSignal.timeout(FILL_MS)
    await Promise.all(
      open.map(async (watched) => {
        const { fillUsers, fillRules } = watched.proxy
        const filled = filling?.ok === false ? filling : filling && (await fillUsers?.(filling.value, signal))
        const ruled = await fillRules?.(signal)
        watched.troubles = [...troublesOf(filled, 'ERR00053'), ...troublesOf(ruled, 'WARN0092')]
      }),
    )
    this.#filling = false
  }

  /** With what only the manager knows of it. */
  #completed({ differs, troubles }: Watched, reading: ProxyReading): ProxyReading {
    const doors = this.#settings ? { doors: doorsOf(reading.kind, this.#settings) } : {}
    return {
      ...{ ...reading, ...doors },
      ...(differs === undefined ? {} : { differs }),
      ...(troubles.length === 0 ? {} : { troubles }),
    }
  }

  close(): void {
    for (const { proxy } of this.#watched) void proxy.close()
    this.#watched = []
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
