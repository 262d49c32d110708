// What only one server has, and which ways there are to settle it: executed everywhere, taken back, or only known.
import { counted } from '../../base/counted.js'
import { fail, ok, type Result } from '../../base/result.js'
import type { Crash } from '../../model/operation/crash.js'
import type { DivergenceAction, DivergenceKind, DivergencePlan } from '../../model/operation/divergence.js'
import { contains, formatSet, type GtidSet, isEmpty, noTransactions, subtract } from '../../model/server/gtid.js'
import { findServer, mainChannel, type ServerSnapshot } from '../../model/snapshot.js'
import { isReachable, isWritable } from '../situation/channel.js'
import { aheadOf, certainPart, countOf, errantOf, executedByOrigin } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'

export interface Diverged {
  readonly server: ServerSnapshot
  readonly primary?: ServerSnapshot
  readonly kind: DivergenceKind
  /** By origin. */
  readonly extra: GtidSet
  /** Of its end as a primary, when that is recorded. */
  readonly crash?: Crash
  /** Names of other servers that have some of it. */
  readonly others: readonly string[]
}

/** Failures: `unknown-server`, `is-primary`, `wrong-state` (nothing can be known of it, and nothing of it is saved). */
export function judgeDivergence({ snapshot, settings, memory }: Situation, id: string): Result<Diverged> {
  const server = findServer(snapshot, id)
  if (!server) return fail('unknown-server', `${snapshot.cluster} has no server ${id}`)
  const primary = findServer(snapshot, snapshot.primary)
  if (server.id === primary?.id)
    return fail('is-primary', `${server.name} is the primary: what it has is what the cluster has`)
  const crash = memory.crashes.findLast(
    ({ oldPrimary, outcome }) => oldPrimary === id && outcome?.tailFile !== undefined,
  )
  const known = { server, ...(primary ? { primary } : {}), ...(crash ? { crash } : {}) }
  if (primary && isReachable(server) && server.state && isReachable(primary)) {
    const replicates = mainChannel(server) !== undefined
    const extra = replicates ? errantOf(server, primary, memory) : aheadOf(server, primary, { settings, memory })
    const others = snapshot.servers.filter(
      (each) =>
        each.id !== id &&
        each.id !== primary.id &&
        formatSet(subtract(extra, executedByOrigin(each))) !== formatSet(extra),
    )
    const names = others.map(({ name }) => name)
    if (!isEmpty(extra)) return ok({ ...known, kind: replicates ? 'errant' : 'lost', extra, others: names })
    if (!crash) return ok({ ...known, kind: 'none', extra, others: [] })
  }
  if (crash) return ok({ ...known, kind: 'saved', extra: crash.outcome?.extra ?? noTransactions, others: [] })
  return fail(
    'wrong-state',
    `${server.name} does not answer, and nothing of it is saved: what only it has is not known`,
  )
}

/** The number or UUID under which the server itself writes. */
const isOwn = (stream: string, { state }: ServerSnapshot): boolean =>
  state?.identity.flavour !== 'mariadb' || stream.endsWith(`-${state.serverNumber}`)

/** Why an action is not possible, whatever the rows are. */
function refusalOf({ server, primary, kind, extra, others }: Diverged, action: DivergenceAction): string | undefined {
  if (kind === 'none') return `${server.name} has nothing that the primary is missing`
  if (kind === 'saved')
    return `${server.name} came back or does not answer: what is saved can be read, and its statements executed by a person`
  if (!primary || !isWritable(primary)) return 'no primary takes writes'
  const isMariadb = server.state?.identity.flavour === 'mariadb'
  if (isMariadb && kind === 'lost' && action !== 'apply')
    return `${server.name} does not replicate: it comes back by manager-cli reseed, which undoes or replaces what only it has`
  if (kind === 'lost' && action === 'neutralise')
    return `${server.name} does not replicate: with GTIDs alone it would follow with other rows than the primary`
  if (action === 'apply' && others.length > 0 && isMariadb)
    return `${others.join(', ')} have it too, and would execute it twice`
  if (kind === 'errant' && isMariadb && Object.keys(extra).some((stream) => !isOwn(stream, server)))
    return `it was not written on ${server.name} itself (${formatSet(shownOf({ server, kind, extra }))}): ${server.name} would execute it twice`
  return undefined
}

/** What of it only the server can have written; what is saved was compared when it was. */
export const shownOf = ({ server, kind, extra }: Pick<Diverged, 'server' | 'kind' | 'extra'>): GtidSet =>
  kind === 'saved' ? extra : certainPart(extra, server)

/** The plan without what the rows show: conflicts are added where they were looked for. */
export function planDivergence(diverged: Diverged, action: DivergenceAction): DivergencePlan {
  const { server, primary, kind, extra } = diverged
  const refusal = refusalOf(diverged, action)
  const certain = shownOf(diverged)
  const what = countOf(extra, certain)
  return {
    id: ['divergence', server.id, action, formatSet(extra) || 'nothing'].join('/'),
    ...{ action, server: server.id, name: server.name, kind, extra: formatSet(certain) },
    possible: refusal === undefined,
    ...(refusal === undefined ? {} : { refusal }),
    conflicts: [],
    steps: refusal === undefined ? stepsOf(diverged, action) : [],
    effect: effects[action](what, server.name, primary?.name ?? 'the primary'),
  }
}

const effects: Readonly<Record<DivergenceAction, (what: string, server: string, primary: string) => string>> = {
  apply: (what, server, primary) => `${primary} and all its replicas get the rows of ${what} of ${server}.`,
  undo: (what, server) =>
    `The rows of ${what} are gone from ${server}; the statements that write them again are in the answer of S/divergence and in its log.`,
  neutralise: (what, server) =>
    `${counted(1, 'server')} keeps other rows than the rest: those of ${what} stay on ${server} only.`,
}

function stepsOf({ server, primary, kind }: Diverged, action: DivergenceAction): readonly string[] {
  const to = primary?.name ?? 'the primary'
  const isMariadb = server.state?.identity.flavour === 'mariadb'
  const ids =
    kind === 'lost' && isMariadb
      ? 'as new transactions'
      : isMariadb
        ? `under the server_id of ${server.name}, which therefore skips them`
        : `under their own GTIDs, which ${server.name} therefore skips`
  if (action === 'apply')
    return [
      `check every row on ${to}: one that is another by now is a conflict`,
      `execute the transactions on ${to} ${ids}`,
    ]
  const neutral = isMariadb
    ? `log a statement without effect on ${to} under the server_id of ${server.name}, behind its last transaction`
    : `commit an empty transaction with each of the GTIDs on ${to}`
  if (action === 'neutralise') return [neutral]
  return [
    `take the rows back on ${server.name}, unlogged, in one transaction; one that is another by now is a conflict`,
    neutral,
  ]
}

/** Whether the primary has all of it by now. */
export const isSettled = (primary: ServerSnapshot, extra: GtidSet): boolean =>
  contains(executedByOrigin(primary), extra)
