// The service plans of the manager: from the list that its settings name, or the shipped one.
import { readFile } from 'node:fs/promises'
import { sharePath } from '../../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { httpAsk } from '../../../lib/connect/http/request.js'
import { viewSetting } from '../../../lib/settings/configuration/view.js'
import type { SettingName } from '../../../lib/settings/table/index.js'
import { findPlan, parsePlans, planSettings, type ServicePlan } from '../../../lib/settings/table/plans.js'
import type { PlansFace } from '../../protocol/manager/configurator.js'
import type { Clusters } from '../configuration/clusters.js'
import type { Note } from './tags.js'

const FETCH_MS = 5 * SECOND
const MOST_BYTES = 1 << 20

export class Plans implements PlansFace {
  readonly #clusters: Clusters
  readonly #log: Note
  #list: readonly ServicePlan[] = []

  constructor(clusters: Clusters, log: Note) {
    this.#clusters = clusters
    this.#log = log
  }

  /** Reads the list; clusters whose files name a plan get its sizes where the files set none. */
  async start(): Promise<void> {
    await this.reload('')
    for (const [cluster, { settings }] of this.#clusters.configuration.clusters)
      if (settings['prov-service-plan'] !== '') await this.#fill(cluster, settings['prov-service-plan'])
  }

  list(): readonly ServicePlan[] {
    return this.#list
  }

  /** From `prov-service-plan-registry`: an address, a file, or empty for the shipped list. A fault keeps the list. */
  async reload(user: string): Promise<Result<readonly ServicePlan[]>> {
    const registry = this.#clusters.server['prov-service-plan-registry']
    const text = await readList(registry)
    const plans = text.ok ? parsePlans(text.value) : text
    if (plans.ok) this.#list = plans.value
    const what = plans.ok ? { plans: plans.value.length } : { refused: plans.failure.message }
    this.#log(plans.ok ? 'info' : 'warn', 'plans-read', { user, from: registry || shipped, ...what })
    return plans.ok ? plans : fail(plans.failure.code, `${registry || shipped}: ${plans.failure.message}`)
  }

  sizes(plan: string | undefined): Result<Readonly<Record<string, string>>> {
    if (!plan) return ok({})
    const found = findPlan(this.#list, plan)
    return found.ok ? ok({ ...planSettings(found.value) }) : found
  }

  /** Only settings without a value are set. */
  async #fill(cluster: string, plan: string): Promise<void> {
    const sizes = this.sizes(plan)
    const wanted = sizes.ok ? Object.entries(sizes.value) : []
    const free = wanted.filter(([setting]) => this.#isUnset(cluster, setting as SettingName))
    const edited = sizes.ok ? await this.#clusters.edit(cluster, () => ok(Object.fromEntries(free))) : sizes
    const refused = edited.ok ? {} : { refused: edited.failure.message }
    this.#log(edited.ok ? 'info' : 'warn', 'plan-chosen', { cluster, plan, ...refused })
  }

  #isUnset(cluster: string, setting: SettingName): boolean {
    return viewSetting(this.#clusters.configuration, cluster, setting).origin === 'default'
  }
}

const shipped = sharePath('plans', 'plans.csv')

async function readList(registry: string): Promise<Result<string>> {
  if (/^https?:/i.test(registry)) {
    const answer = await httpAsk({ url: registry, timeoutMs: FETCH_MS, maxBytes: MOST_BYTES })
    if (!answer.ok) return answer
    const { status, body } = answer.value
    return status === 200 ? ok(body) : fail('http-failed', `${registry}: status ${status}`)
  }
  const file = registry === '' ? shipped : registry
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    return fail('file-unreadable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
