// The proxies of a cluster: made from the settings, looked at and aligned with every tick.
import { SECOND } from '../../lib/base/time.js'
import { haproxyFromSettings } from '../../lib/proxy/haproxy/index.js'
import type { ProxyReading, ProxyTarget, Proxy as RoutedProxy } from '../../lib/proxy/index.js'
import type { Settings } from '../../lib/settings/table/index.js'

const LOOK_MS = 2 * SECOND
/** Ticks between two alignments of unchanged proxies. */
const REALIGN_TICKS = 15

export class ProxyWatch {
  readonly #observed: (reading: ProxyReading) => void
  readonly #looking = new Set<string>()
  #proxies: readonly RoutedProxy[] = []
  #key = ''
  #aligned = ''
  #aligning = false
  #ticks = 0

  constructor(observed: (reading: ProxyReading) => void) {
    this.#observed = observed
  }

  list(): readonly RoutedProxy[] {
    return this.#proxies
  }

  /** Proxies as the settings name them; unchanged settings change nothing. */
  set(settings: Settings): void {
    const proxies = haproxyFromSettings(settings)
    const key = JSON.stringify(proxies.map(({ id, kind, name }) => [id, kind, name]))
    if (key === this.#key) return
    this.close()
    this.#key = key
    this.#proxies = proxies
  }

  /** Looks at every proxy that is not being looked at. */
  look(): void {
    for (const proxy of this.#proxies) {
      if (this.#looking.has(proxy.id)) continue
      this.#looking.add(proxy.id)
      void proxy
        .read(AbortSignal.timeout(LOOK_MS))
        .then(this.#observed)
        .finally(() => this.#looking.delete(proxy.id))
    }
  }

  /**
   * Makes every proxy match the target: at once when the target has changed or the last attempt failed, else now and
   * then, so that what somebody else changed is set right.
   */
  async align(target: ProxyTarget): Promise<void> {
    const key = JSON.stringify(target)
    this.#ticks += 1
    if (this.#proxies.length === 0 || this.#aligning) return
    if (key === this.#aligned && this.#ticks % REALIGN_TICKS !== 0) return
    this.#aligning = true
    const signal = AbortSignal.timeout(LOOK_MS)
    const outcomes = await Promise.all(this.#proxies.map((proxy) => proxy.apply(target, signal)))
    this.#aligned = outcomes.every(({ ok }) => ok) ? key : ''
    this.#aligning = false
  }

  close(): void {
    for (const proxy of this.#proxies) void proxy.close()
    this.#proxies = []
  }
}
