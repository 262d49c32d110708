// Metrics to carbon: every few seconds the samples of all clusters, through the filter lists of each.

import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import {
  carbonLines,
  checkFilterList,
  type FilterLists,
  type FilterTemplate,
  type InstanceFigures,
  type MetricFilter,
  openFilter,
} from '../../../lib/metrics/index.js'
import { isModuleLogged } from '../../../lib/model/log-module.js'
import { type CarbonSender, openCarbonSender } from '../../../lib/notify/index.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import { type FilterListName, readFilterList, readFilterTemplate, writeFilterList } from '../../../lib/store/index.js'
import type { FilterFace } from '../../protocol/manager/metric-filters.js'

export interface GraphiteParts {
  /** The settings of the server as they are now. */
  readonly settings: () => Settings
  readonly clusters: () => readonly string[]
  /** Figures of a cluster's database servers; undefined while there are none. */
  readonly figures: (cluster: string) => Promise<readonly InstanceFigures[] | undefined>
  readonly log: WriteLog<'info' | 'warn'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How often samples are sent: as often as stores of metrics keep them by default. */
const EVERY_MS = 10 * SECOND

/** The lists in force and the filter made of them. */
interface Active {
  readonly lists: FilterLists
  readonly use: string
  readonly filter: MetricFilter
}

export class Graphite implements FilterFace {
  readonly #parts: GraphiteParts
  readonly #active = new Map<string, Active>()
  readonly #timer: NodeJS.Timeout
  #sender: CarbonSender | undefined
  #busy = false

  constructor(parts: GraphiteParts, everyMs = EVERY_MS) {
    this.#parts = parts
    this.#timer = setInterval(() => void this.#tick(), everyMs)
    this.#timer.unref()
  }

  /** The lists in the cluster's folder; those of the template before there are any. */
  async lists(cluster: string): Promise<Result<FilterLists>> {
    const directory = this.#directory(cluster)
    const [whitelist, blacklist] = await Promise.all([
      readFilterList(directory, 'whitelist'),
      readFilterList(directory, 'blacklist'),
    ])
    if (!whitelist.ok) return whitelist
    if (!blacklist.ok) return blacklist
    if (whitelist.value !== undefined && blacklist.value !== undefined)
      return ok({ whitelist: whitelist.value, blacklist: blacklist.value })
    const initial = await readFilterTemplate(this.#parts.settings()['graphite-whitelist-template'])
    if (!initial.ok) return initial
    return ok({
      whitelist: whitelist.value ?? initial.value.whitelist,
      blacklist: blacklist.value ?? initial.value.blacklist,
    })
  }

  /** Writes a list; it is in force after a reload. `wrong-value` names the pattern that cannot be used. */
  async setList(cluster: string, name: FilterListName, text: string): Promise<Result<void>> {
    const checked = checkFilterList(text)
    return checked.ok ? writeFilterList(this.#directory(cluster), name, text) : checked
  }

  /** Puts the lists of the folder in force. An invalid one is reported, and the current ones stay. */
  async reloadLists(cluster: string): Promise<Result<void>> {
    const lists = await this.lists(cluster)
    if (!lists.ok) return lists
    for (const name of ['whitelist', 'blacklist'] as const) {
      const checked = checkFilterList(lists.value[name])
      if (!checked.ok) return fail(checked.failure.code, `${name}: ${checked.failure.message}`)
    }
    this.#activate(cluster, lists.value)
    return ok(undefined)
  }

  /** Writes the lists of a template and puts them in force. */
  async resetLists(cluster: string, template: FilterTemplate): Promise<Result<void>> {
    const lists = await readFilterTemplate(template)
    if (!lists.ok) return lists
    for (const name of ['whitelist', 'blacklist'] as const) {
      const written = await writeFilterList(this.#directory(cluster), name, lists.value[name])
      if (!written.ok) return written
    }
    this.#activate(cluster, lists.value)
    return ok(undefined)
  }

  /** Settings of the server have changed: what is due is sent at once. */
  changed(): void {
    void this.#tick()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#sender?.close()
  }

  /** Clusters one after the other, with other work in between; a tick that is not done when the next is due skips it. */
  async #tick(): Promise<void> {
    const settings = this.#parts.settings()
    if (!settings['graphite-metrics']) {
      this.#sender?.close()
      this.#sender = undefined
      return
    }
    if (this.#busy) return
    this.#busy = true
    try {
      const sender = this.#senderTo(settings)
      const seconds = Math.floor(this.#parts.now() / SECOND)
      for (const cluster of this.#parts.clusters()) {
        const figures = await this.#parts.figures(cluster)
        if (figures) sender.send(carbonLines(figures, await this.#filterOf(cluster, settings), seconds))
        await nextTurn()
      }
    } finally {
      this.#busy = false
    }
  }

  #senderTo(settings: Settings): CarbonSender {
    const address = { host: settings['graphite-carbon-host'], port: settings['graphite-carbon-port'] }
    const log = (text: LogCode, fields: Readonly<Record<string, unknown>>) =>
      this.#report(text === 'carbon-failed' ? 'warn' : 'info', text, fields)
    this.#sender ??= openCarbonSender({ address, log })
    this.#sender.move(address)
    return this.#sender
  }

  async #filterOf(cluster: string, settings: Settings): Promise<MetricFilter> {
    const known = this.#active.get(cluster)
    if (known && known.use === useText(settings)) return known.filter
    if (known) return this.#activate(cluster, known.lists)
    const lists = await this.lists(cluster)
    if (lists.ok) return this.#activate(cluster, lists.value)
    this.#report('warn', 'filter-list-unread', { cluster, reason: lists.failure.message })
    return () => false
  }

  #activate(cluster: string, lists: FilterLists): MetricFilter {
    const settings = this.#parts.settings()
    const use = { whitelist: settings['graphite-whitelist'], blacklist: settings['graphite-blacklist'] }
    const filter = openFilter(lists, use)
    this.#active.set(cluster, { lists, use: useText(settings), filter })
    return filter
  }

  #report(level: 'info' | 'warn', text: LogCode, fields: Readonly<Record<string, unknown>>): void {
    if (isModuleLogged(this.#parts.settings(), 'graphite', level === 'warn' ? 'WARN' : 'INFO'))
      this.#parts.log(level, text, fields)
  }

  #directory(cluster: string): string {
    return path.join(this.#parts.settings()['monitoring-datadir'], cluster)
  }
}

/** Changes when a list is enabled or disabled. */
const useText = (settings: Settings): string => `${settings['graphite-whitelist']} ${settings['graphite-blacklist']}`
