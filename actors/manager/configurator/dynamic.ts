// Applies a configuration to running servers: dynamic variables at once, the rest as the need of a restart, read back.

import { fail, ok, type Result } from '../../../lib/base/result.js'
import {
  type Assignment,
  configureSettingNames,
  type DynamicPlan,
  expectedOptions,
  gapsOf,
  type HeldGap,
  isIdentity,
  type Known,
  mergePreserved,
  type Options,
  type Prospect,
  parseOptions,
  planDynamic,
  type RuleSet,
  readConfigureSettings,
  type Subject,
  sameValue,
  switchoverHazards,
  tagAssignments,
} from '../../../lib/configure/index.js'
import type { ServerConfiguration } from '../../../lib/model/server/configuration.js'
import { exportSettings, type SettingName, type Settings } from '../../../lib/settings/index.js'
import type {
  DynamicRequest,
  DynamicServerView,
  DynamicStatement,
  DynamicView,
  HeldDifference,
} from '../../protocol/manager/configurator.js'
import type { Drifts } from './drift.js'
import type { Member, Servers } from './servers.js'
import type { Note } from './tags.js'

export interface DynamicParts {
  readonly servers: Servers
  readonly drifts: Drifts
  readonly rules: RuleSet
  readonly known: Known
  readonly log: Note
}

/** What is applied to a server. */
interface Work {
  readonly cluster: string
  readonly member: Member
  /** The settings before the change that is applied; absent: everything is. */
  readonly before?: Settings
  readonly plan: boolean
}

export class Dynamics {
  readonly #parts: DynamicParts
  /** The settings in force when a cluster was last applied, to detect what changed. */
  readonly #settings = new Map<string, Settings>()
  /** One run after the other in each cluster. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(parts: DynamicParts) {
    this.#parts = parts
  }

  /** The complete configuration of the cluster on each of its servers, the primary last. */
  run({ cluster, plan, user }: DynamicRequest): Promise<Result<DynamicView>> {
    return this.#inTurn(cluster, async () => {
      const view = await this.#applyAll(cluster, { plan })
      if (view.ok && !plan) this.#parts.log('info', 'configuration-applied', { cluster, user, ...countsOf(view.value) })
      return view
    })
  }

  /** Settings have changed: where configured, the changes are applied to the running servers. */
  reconfigured(cluster: string, names: readonly SettingName[]): void {
    const settings = this.#parts.servers.settings(cluster)
    if (!settings.ok) return
    const before = this.#settings.get(cluster)
    this.#settings.set(cluster, settings.value)
    if (before !== undefined && needsNewData(this.#parts.rules, before, settings.value))
      void this.#inTurn(cluster, () => this.#askNewData(cluster))
    if (before === undefined || !settings.value['prov-db-apply-dynamic-config']) return
    if (!names.some((name) => configureSettingNames.includes(name))) return
    void this.#inTurn(cluster, async () => {
      const view = await this.#applyAll(cluster, { before, plan: false })
      const counts = view.ok ? countsOf(view.value) : { refused: view.failure.message }
      this.#parts.log('info', 'configuration-applied', { cluster, changed: names, ...counts })
      return view
    })
  }

  /** A restart on the old data folder would fail, so the need of one is not reported. */
  async #askNewData(cluster: string): Promise<void> {
    for (const { id } of this.#parts.servers.members(cluster)) await this.#raiseNewData(cluster, id)
  }

  async #raiseNewData(cluster: string, server: string): Promise<void> {
    const cookies = { set: ['reprov'], clear: ['restart', 'configrefresh'] } as const
    await this.#parts.servers.ask(cluster, 'change-cookies', { server, ...cookies })
  }

  forget(cluster: string): void {
    this.#settings.delete(cluster)
    this.#turns.delete(cluster)
  }

  #inTurn<T>(cluster: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(cluster) ?? Promise.resolve()).then(work)
    this.#turns.set(
      cluster,
      turn.catch(() => undefined),
    )
    return turn
  }

  /** Every server is planned before the first is changed. */
  async #applyAll(cluster: string, work: Omit<Work, 'cluster' | 'member'>): Promise<Result<DynamicView>> {
    const settings = this.#parts.servers.settings(cluster)
    if (!settings.ok) return settings
    if (settings.value['monitoring-observe'] && !work.plan)
      return fail('observing', `${cluster} is only observed (monitoring-observe): nothing is set`)
    const members = this.#parts.servers.members(cluster).toReversed()
    // Values accepted against other values of the tags are no longer kept.
    await this.#parts.drifts.settle(cluster)
    const plans: Planned[] = []
    for (const member of members) plans.push(await this.#plan({ cluster, member, ...work }))
    const hazards = plans.some(({ view }) => view.statements.length > 0)
      ? switchoverHazards({
          servers: plans.flatMap(({ prospect }) => prospect ?? []),
          tags: settings.value['prov-db-tags'],
        })
      : []
    const refused = `nothing is set while a switchover would break replication: ${hazards.join('; ')}`
    if (work.plan)
      return ok({
        applied: false,
        ...(hazards.length === 0 ? {} : { refused }),
        servers: plans.map(({ view }) => view),
      })
    if (hazards.length > 0) return fail('wrong-state', refused)
    const views: DynamicServerView[] = []
    for (const member of members) views.push(await this.#applyTo({ cluster, member, ...work }))
    return ok({ applied: true, servers: views })
  }

  async #plan(work: Work): Promise<Planned> {
    const planned = await this.#apply({ ...work, plan: true })
    if (planned.ok) return planned.value
    return { view: failedView(work.member, planned.failure.message) }
  }

  async #applyTo(work: Work): Promise<DynamicServerView> {
    const { cluster, member } = work
    const applied = await this.#apply(work)
    const view = applied.ok ? applied.value.view : failedView(member, applied.failure.message)
    const remakes = namesOfNewData(this.#parts.rules)
    if (view.restart.some(({ name }) => remakes.has(name))) {
      await this.#raiseNewData(cluster, member.id)
      return view
    }
    const needs = view.failure !== undefined || view.restart.some((each) => !isIdentity(each))
    const cookies = { set: needs ? (['restart'] as const) : [], clear: needs ? [] : (['restart'] as const) }
    await this.#parts.servers.ask(cluster, 'change-cookies', {
      ...{ server: member.id, set: cookies.set, clear: [...cookies.clear, 'configrefresh'] },
    })
    return view
  }

  async #apply(work: Work): Promise<Result<Planned>> {
    const { cluster, member, before, plan } = work
    const { servers, rules, known } = this.#parts
    const first = await servers.read(cluster, member)
    if (!first.ok) return first
    const subject = servers.subject(cluster, member, first.value.identity)
    if (!subject.ok) return subject
    const overlaid = await this.#overlaid(cluster, member, expectedOptions(rules, subject.value))
    if (!overlaid.ok) return overlaid
    const wanted = overlaid.value
    const change = before && changeOf({ rules, subject: subject.value, before, server: first.value })
    const gapsAt = (shown: ServerConfiguration, only?: ReadonlySet<string>): DynamicPlan =>
      planDynamic(gapsOf(wanted, shown, only), known, subject.value.software)
    const view = (statements: readonly DynamicStatement[], restart: readonly HeldGap[]): DynamicServerView => ({
      server: member.name,
      statements,
      restart: [...heldViews([...restart, ...(change?.held ?? [])]), ...(change?.lingering ?? []).map(lingeringView)],
    })
    if (plan) {
      const { statements, restart } = gapsAt(first.value, change?.names)
      const all = [...(change?.statements ?? []), ...statements]
      return ok({ view: view(all, restart), prospect: prospectOf(member, first.value, all) })
    }
    const byRules = await this.#run(cluster, member, change?.statements ?? [])
    if (!byRules.ok) return byRules
    const second = byRules.value.length === 0 ? first : await servers.read(cluster, member)
    if (!second.ok) return second
    const rest = await this.#run(cluster, member, gapsAt(second.value, change?.names).statements)
    if (!rest.ok) return rest
    const third = rest.value.length === 0 ? second : await servers.read(cluster, member)
    if (!third.ok) return third
    // Everything is verified, whatever was changed: a restart is needed as long as anything differs.
    const gaps = gapsOf(wanted, third.value)
    const held = new Map(gapsAt(third.value).restart.map((gap) => [gap.name, gap]))
    const left = gaps.map((gap) => held.get(gap.name) ?? gap)
    return ok({ view: view([...byRules.value, ...rest.value], left) })
  }

  /** The values of the tags, overridden by custom.d. */
  async #overlaid(cluster: string, member: Member, expected: Options): Promise<Result<Options>> {
    const texts = await this.#parts.drifts.overlays(cluster, member)
    if (!texts.ok) return texts
    const { everywhere, preserved, delta, agreed } = texts.value
    const over = [mergePreserved(everywhere, preserved, member), delta, agreed].flatMap((text) => [
      ...parseOptions(text),
    ])
    return ok(new Map([...expected, ...over]))
  }

  async #run(
    cluster: string,
    { id }: Member,
    assignments: readonly Assignment[],
  ): Promise<Result<readonly DynamicStatement[]>> {
    if (assignments.length === 0) return ok([])
    const statements = assignments.map(({ sql }) => sql)
    const ran = await this.#parts.servers.ask(cluster, 'run-statements', { server: id, statements })
    return ran.ok ? ok(ran.value.map((outcome, index) => ({ ...assignments[index], ...outcome }))) : ran
  }
}

/** What is done to one server, and what it has then; without it where the server cannot be read. */
interface Planned {
  readonly view: DynamicServerView
  readonly prospect?: Prospect
}

const failedView = ({ name }: Member, failure: string): DynamicServerView => ({
  ...{ server: name, statements: [], restart: [], failure },
})

/** One entry per variable. */
const heldViews = (gaps: readonly HeldGap[]): readonly HeldDifference[] => {
  const views = gaps.map(({ name, wanted: expected, running, held }): [string, HeldDifference] => [
    name,
    { name, expected, running, ...(held === undefined ? {} : { held }) },
  ])
  return [...new Map(views).values()]
}

const lingeringView = (tag: string): HeldDifference => ({
  ...{ name: tag, expected: '', running: 'in force until the next start' },
})

function prospectOf({ name }: Member, { variables }: ServerConfiguration, all: readonly Assignment[]): Prospect {
  const then = all.flatMap(({ name: variable, to }) =>
    variable === undefined || to === undefined ? [] : [[variable, to] as const],
  )
  return { name, variables: { ...variables, ...Object.fromEntries(then) } }
}

/** Options that a data folder is created with. */
const namesOfNewData = ({ rules }: RuleSet): ReadonlySet<string> =>
  new Set(rules.flatMap(({ reprov, options }) => (reprov ? options.map(({ name }) => name) : [])))

/** Whether a tag was added or removed that only a new data folder applies. */
function needsNewData({ rules }: RuleSet, before: Settings, after: Settings): boolean {
  const [was, is] = [before['prov-db-tags'], after['prov-db-tags']]
  return rules.some(({ reprov, tag }) => reprov && was.includes(tag) !== is.includes(tag))
}

interface ChangeInput {
  readonly rules: RuleSet
  readonly subject: Subject
  readonly before: Settings
  readonly server: ServerConfiguration
}

/** What a change of settings means for a server: the statements of the rules, and the variables that changed. */
function changeOf({ rules, subject, before, server }: ChangeInput) {
  const read = readConfigureSettings(exportSettings(before))
  const former: Subject = read.ok ? { ...subject, ...read.value } : subject
  const [was, is] = [expectedOptions(rules, former), expectedOptions(rules, subject)]
  const names = [...is].filter(([name, value]) => !sameValue(was.get(name) ?? '\0', value)).map(([name]) => name)
  return { ...tagAssignments({ rules, before: former, after: subject, server }), names: new Set(names) }
}

const countsOf = ({ servers }: DynamicView) => ({
  servers: servers.length,
  statements: servers.reduce((sum, { statements }) => sum + statements.length, 0),
  refused: servers.reduce((sum, { statements }) => sum + statements.filter(({ refused }) => refused).length, 0),
  restart: servers
    .filter(({ restart, failure }) => restart.length > 0 || failure !== undefined)
    .map((each) => each.server),
})
