// What a change of the configuration would come to: made on a copy, which is compared with what is in force.
import { paced } from '../../../lib/base/paced.js'
import { ok, type Result } from '../../../lib/base/result.js'
import { configureSettingNames } from '../../../lib/configure/index.js'
import { type Configuration, changedSettings } from '../../../lib/settings/configuration/configuration.js'
import { viewSetting, viewSettings } from '../../../lib/settings/configuration/view.js'
import { remarksOf, type Settings } from '../../../lib/settings/index.js'
import type { ChangesFace, Foreseen } from '../../protocol/manager/changes.js'
import type { ServerPreview } from '../../protocol/manager/configurator.js'
import { Changes, type ChangesParts } from './changes.js'
import { findPair } from './find-pair.js'
import { MemberLists } from './member-lists.js'
import { resolves } from './newcomers.js'
import { Users, viewUsers } from './users.js'

export interface ForesightParts extends Pick<ChangesParts, 'clusters' | 'changes' | 'sizes'> {
  readonly members: ConstructorParameters<typeof MemberLists>[0]['members']
  readonly tags: (clusters: ChangesParts['clusters']) => ChangesParts['configurator']
  /** The configuration as its files give it now, read without a trace. */
  readonly read: (running: Configuration, cluster?: string) => Promise<Result<Configuration>>
  readonly compare: (cluster: string, before: Settings, after: Settings) => Promise<readonly ServerPreview[]>
}

/** Longest pause between two clusters that are compared. */
const LONGEST_REST_MS = 20

/** A plan shows what changes. */
const nothingRemarked = remarksOf({ ok: true, warnings: [], recognised: [] })

export async function foresee(
  parts: ForesightParts,
  change: (rehearsed: ChangesFace) => Promise<Result<unknown>> | Result<unknown>,
): Promise<Result<Foreseen>> {
  const before = parts.clusters.configuration
  const clusters = parts.clusters.rehearsal()
  const changes = parts.changes.rehearsal(clusters)
  const rehearsed = new Changes({
    ...{ clusters, changes, members: parts.members, sizes: parts.sizes },
    users: Users.rehearsal(clusters),
    configurator: parts.tags(clusters),
    lists: new MemberLists({ clusters, changes, members: parts.members, refreshMembers: async () => {}, resolves }),
    reload: async (cluster) => {
      const replaced = await clusters.replace((running) => parts.read(running, cluster))
      return replaced.ok ? ok(nothingRemarked) : replaced
    },
    removed: () => {},
    log: () => {},
  })
  const changed = await change(rehearsed)
  return changed.ok ? ok(await compare(parts, before, clusters.configuration)) : changed
}

async function compare(
  { compare: compareFiles }: Pick<ForesightParts, 'compare'>,
  before: Configuration,
  after: Configuration,
): Promise<Foreseen> {
  const names = [...new Set([...before.clusters.keys(), ...after.clusters.keys()])]
  const settings: Foreseen['settings'][number][] = changedSettings(before.server.settings, after.server.settings).map(
    (name) => ({ cluster: '', before: viewSetting(before, '', name), after: viewSetting(after, '', name) }),
  )
  const own = new Set(settings.map(({ after: { name } }) => name))
  const users: Foreseen['users'][number][] = []
  const servers: Foreseen['servers'][number][] = []
  const gently = paced(LONGEST_REST_MS)
  for (const cluster of names) {
    const [was, is] = [before.clusters.get(cluster)?.settings, after.clusters.get(cluster)?.settings]
    if (!was && is) settings.push(...givenTo(after, cluster))
    if (!was || !is) continue
    const changed = changedSettings(was, is)
    if (changed.length === 0) continue
    const view = (configuration: Configuration, name: (typeof changed)[number]) =>
      viewSetting(configuration, cluster, name)
    // What the scope of the server gives to every cluster is one change.
    const shown = changed.filter((name) => !own.has(name))
    settings.push(...shown.map((name) => ({ cluster, before: view(before, name), after: view(after, name) })))
    users.push(...compareUsers(cluster, was, is))
    if (!changed.some((name) => configureSettingNames.includes(name))) continue
    const files = await gently(() => compareFiles(cluster, was, is))
    const applies = is['prov-db-apply-dynamic-config']
    servers.push(...files.filter(differs).map((each) => ({ cluster, applies, ...each })))
  }
  return {
    clusters: {
      added: names.filter((name) => !before.clusters.has(name)),
      removed: names.filter((name) => !after.clusters.has(name)),
    },
    ...{ settings, users, servers },
  }
}

/** What a new cluster has of its own. */
const givenTo = (configuration: Configuration, cluster: string): Foreseen['settings'] =>
  viewSettings(configuration, cluster)
    .filter(({ origin }) => origin === 'saved' || origin === 'runtime')
    .map((after) => ({ cluster, after }))

const differs = ({ differences, files, restart, reprov }: ServerPreview): boolean =>
  differences.length + files.length > 0 || restart || reprov

function compareUsers(cluster: string, was: Settings, is: Settings): Foreseen['users'] {
  const [before, after] = [was, is].map(
    (settings) => new Map(viewUsers(settings, cluster).map((view) => [view.user, view])),
  )
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])]
  return names.flatMap((user) => {
    const [then, next] = [before?.get(user), after?.get(user)]
    const password = then !== undefined && next !== undefined && findPair(was, user) !== findPair(is, user)
    if (JSON.stringify(then) === JSON.stringify(next) && !password) return []
    return [{ cluster, user, password, ...(then ? { before: then } : {}), ...(next ? { after: next } : {}) }]
  })
}
