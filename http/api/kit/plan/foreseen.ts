// Plans of changes of the configuration: what a rehearsal on a copy of it has shown, as values now and then, and what follows.
import type { ChangesFace, Foreseen, ManagerFace } from '../../../../actors/protocol/manager/face.js'
import type { FailureCode } from '../../../../lib/base/failures.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { MASK } from '../../../../lib/base/secret.js'
import type { PlanChange, Preview } from '../../../../lib/model/operation/preview.js'

/** Of a request that is wrong whatever the state of things: it has no plan. */
const wrongRequests: ReadonlySet<FailureCode> = new Set([
  ...(['bad-request', 'bad-name', 'no-grant', 'setting-grant', 'setting-without-effect', 'wrong-scope'] as const),
  ...(['wrong-value', 'unknown-setting', 'unknown-cluster', 'unknown-server', 'unknown-proxy', 'unknown-tag'] as const),
  ...(['unknown-user', 'unknown-change'] as const),
])

/** The plan of a change: it is made on a copy, by the same function that makes it when it is confirmed. */
export async function planChange(
  manager: ManagerFace,
  kind: string,
  change: (manager: ChangesFace) => Promise<Result<unknown>> | Result<unknown>,
): Promise<Result<Preview>> {
  const foreseen = await manager.foresee(change)
  if (foreseen.ok) return ok(previewForeseen(kind, foreseen.value))
  if (wrongRequests.has(foreseen.failure.code)) return foreseen
  return ok({ kind, possible: false, refusal: foreseen.failure.message, steps: [], risks: [] })
}

/** Steps are the changes as sentences: clients that know steps only lose nothing. */
export function previewForeseen(kind: string, foreseen: Foreseen): Preview {
  const changes = [...clustersOf(foreseen), ...settingsOf(foreseen), ...usersOf(foreseen)]
  return {
    ...{ kind, possible: true, risks: [] },
    steps: changes.map(({ what, before, after }) => ({
      text:
        before === null
          ? `Set ${what} to ${quoted(after)}`
          : after === null
            ? `Remove ${what}`
            : `Change ${what} from ${quoted(before)} to ${quoted(after)}`,
      blocksWrites: false,
    })),
    changes,
    follows: [
      ...foreseen.clusters.removed.map(
        (name) => `The servers of ${name} go on running; nothing monitors them or fails them over.`,
      ),
      ...foreseen.settings.flatMap(followsSetting),
      ...foreseen.users.flatMap(followsUser),
      ...followsFiles(foreseen.servers),
    ],
  }
}

const quoted = (text: string | null): string => (text === null || text === '' ? 'empty' : text)

const clustersOf = ({ clusters: { added, removed } }: Foreseen): readonly PlanChange[] => [
  ...added.map((name) => ({ what: `cluster ${name}`, before: null, after: 'watched' })),
  ...removed.map((name) => ({ what: `cluster ${name}`, before: 'watched', after: null })),
]

type Setting = Foreseen['settings'][number]

/** The lists of users are shown as users. */
const isUserList = ({ after: { name } }: Setting): boolean => /^api-credentials(-acl-allow)?-external$/.test(name)

function settingsOf({ settings, users }: Foreseen): readonly PlanChange[] {
  const shown = users.length === 0 ? settings : settings.filter((each) => !isUserList(each))
  const several = new Set(settings.map(({ cluster }) => cluster)).size > 1
  return shown.map(({ cluster, before, after }) => ({
    what: several && cluster !== '' ? `${after.name} of ${cluster}` : after.name,
    before: before ? valueText(before.value) : null,
    after: after.value === MASK ? `${MASK} (another one)` : valueText(after.value),
  }))
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function followsSetting({ before, after, cluster }: Setting): readonly string[] {
  const { name, acts, origin, given } = after
  const hosts = name === 'db-servers-hosts' ? followsHosts(listOf(before?.value), listOf(after.value)) : []
  return [
    ...hosts,
    ...(acts === 'restart' ? [`${name} acts at the next start of the manager only.`] : []),
    ...(origin === 'runtime'
      ? [`${name} holds until the manager restarts${given === undefined ? '' : `; then ${given} holds again`}.`]
      : []),
    ...(cluster === '' && acts === undefined ? [`${name} holds for every cluster that does not set it itself.`] : []),
  ]
}

const listOf = (value: unknown): readonly string[] =>
  typeof value === 'string' ? value.split(',').flatMap((each) => each.trim() || []) : []

const followsHosts = (before: readonly string[], after: readonly string[]): readonly string[] => [
  ...after.filter((each) => !before.includes(each)).map((each) => `${each} is probed, and proxies get to know it.`),
  ...before
    .filter((each) => !after.includes(each))
    .map((each) => `${each} goes on running; it is neither probed nor elected, and proxies no longer send to it.`),
]

const usersOf = ({ users }: Foreseen): readonly PlanChange[] =>
  users.flatMap(({ user, before, after, password }) => [
    ...(before?.access === after?.access && before && after
      ? []
      : [{ what: `access of ${user}`, before: before?.access ?? null, after: after?.access ?? null }]),
    ...(password ? [{ what: `password of ${user}`, before: MASK, after: `${MASK} (another one)` }] : []),
  ])

const followsUser = ({ user, before, after, password }: Foreseen['users'][number]): readonly string[] => [
  ...(before && !after ? [`${user} is refused from its next request on; its tokens for this cluster end.`] : []),
  ...(after?.signOn ? [`${user} has no password: it logs in by single sign-on.`] : []),
  ...(password ? [`Sessions of ${user} end.`] : []),
  ...lostGrants(before?.grants ?? [], after?.grants ?? []).map((grant) => `${user} loses ${grant}.`),
]

/** Of a user that stays; there are too many for a list when most go. */
function lostGrants(before: readonly string[], after: readonly string[]): readonly string[] {
  const lost = after.length === 0 ? [] : before.filter((grant) => !after.includes(grant))
  return lost.length > 12 ? [`${lost.length} of its ${before.length} grants`] : lost
}

/** Servers that are named; of more, their number. */
const MOST_SERVERS = 12

function followsFiles(servers: Foreseen['servers']): readonly string[] {
  const named = servers.slice(0, MOST_SERVERS)
  const restarts = servers.filter(({ restart, reprov }) => restart || reprov).length
  if (servers.length === 0) return []
  return [
    ...named.flatMap(({ server, files, statements, restart, reprov, applies }) => [
      `${server}: its archive is built again and delivered${files.length === 0 ? '' : `; ${fileText(files)}`}.`,
      ...(applies ? statements.map((sql) => `${server}: ${sql} runs at once.`) : []),
      ...(reprov ? [`${server} needs a new data folder before all of it is in force.`] : []),
      ...(restart && !reprov ? [`${server} needs a restart before all of it is in force.`] : []),
    ]),
    ...(servers.length > MOST_SERVERS
      ? [`${servers.length - MOST_SERVERS} more servers alike: ${restarts} of all ${servers.length} need a restart.`]
      : []),
  ]
}

function fileText(files: Foreseen['servers'][number]['files']): string {
  const names = files.map(({ path }) => path.split('/').at(-1) ?? path)
  const rest = names.length - 5
  return `${names.slice(0, 5).join(', ')}${rest > 0 ? ` and ${rest} more files` : ''} ${names.length === 1 ? 'changes' : 'change'}`
}
