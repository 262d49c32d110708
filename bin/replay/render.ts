// What a replay shows, as lines for people: what changed at a message, a decision with its evidence, everything at a moment. Pure.
import { WITHHELD } from '../../actors/cluster/recording/hiding.js'
import type { ReplayedStep } from '../../actors/cluster/recording/replay.js'
import type { ActorCommand } from '../../actors/cluster/state/message/command.js'
import type { ClusterState } from '../../actors/cluster/state/state.js'
import { findingText } from '../../actors/cluster/state/step/changes.js'
import { counted } from '../../lib/base/counted.js'
import { isoTime } from '../../lib/base/time.js'
import { commandText } from '../../lib/model/command-text.js'
import { formatSet } from '../../lib/model/server/gtid.js'
import { findServer } from '../../lib/model/snapshot.js'
import type { FailoverVerdict, LossForecast } from '../../lib/model/verdict.js'
import { stateTexts } from '../../lib/model/wire.js'
import { settingNames, settingRow } from '../../lib/settings/index.js'

type NameServer = (server: string | undefined) => string

/** What the message changed and what was decided at it; none for most messages. */
export function renderStep(step: ReplayedStep): readonly string[] {
  const { line, commands, before, state, reply, payload, threw } = step
  const time = isoTime(line.at)
  const { user } = (payload ?? {}) as { readonly user?: unknown }
  const asked = typeof user === 'string' ? [`${time}  ${user} asked: ${line.message}${refusalOf(reply)}`] : []
  const events = commands.flatMap((command) => (command.type === 'emit' ? command.events : []))
  return [
    ...asked,
    ...(threw === undefined ? [] : [`${time}  the handler of ${line.message} threw: ${threw}`]),
    ...events
      .filter(({ level, kind, text }) => level !== 'DEBUG' && kind !== 'topology' && !text.includes(WITHHELD))
      .map(({ text }) => `${time}  ${text}`),
    ...changedVerdict(before.verdict, state.verdict).map((text) => `${time}  ${text}`),
    ...commands.flatMap((command) => renderDecision(command, state, time)),
  ]
}

const refusalOf = (reply: ReplayedStep['reply']): string =>
  typeof reply === 'object' && 'ok' in reply && !reply.ok ? `; refused: ${reply.failure.message}` : ''

/** A decision with what it rests on; nothing for commands that decide nothing. */
function renderDecision(command: ActorCommand, state: ClusterState, time: string): readonly string[] {
  const name = namesOf(state)
  if (command.type === 'abort') return [`${time}  DECISION: end the running operation early`]
  if (command.type === 'perform') return [`${time}  DECISION: at once: ${commandText(command.command, name)}`]
  if (command.type !== 'operate') return []
  const { plan, operation } = command
  const change = plan.newPrimary === undefined ? '' : ` from ${name(plan.oldPrimary)} to ${name(plan.newPrimary)}`
  return [
    `${time}  DECISION: ${plan.kind}${change}, ${whyText(operation.owner, plan.reason)}`,
    ...(plan.kind === 'failover' ? renderVerdict(state.verdict, name) : []),
    ...plan.commands.map((each, index) => `  step ${index + 1}: ${commandText(each, name)}`),
  ]
}

/** Where a person's request is the whole reason it is not said twice. */
const whyText = (owner: string, reason: string): string =>
  reason.startsWith(`requested by ${owner}`) ? reason : `asked by ${owner}: ${reason}`

/** Evidence, every rule, the election and the forecast of losses. */
export function renderVerdict(verdict: FailoverVerdict, name: NameServer): readonly string[] {
  const { evidence, primaryDead, primary, wouldFailOver, candidate, rows, ranking, loss } = verdict
  return [
    `  evidence: ${evidence}; ${name(primary)} is ${primaryDead ? 'dead' : 'not dead'}; ${wouldFailOver ? `fail over to ${name(candidate)}` : 'do not fail over'}`,
    ...rows.map(
      ({ rule, state, value, limit, sentence }) => `  rule ${rule}: ${state} (${value}; limit ${limit}). ${sentence}`,
    ),
    ...ranking.map(
      ({ server, rank, code, reason, received, missing }) =>
        `  candidate ${rank ?? '-'}: ${name(server)}${code === undefined ? '' : ` ${code}`}: ${reason}; received ${formatSet(received) || 'nothing'}, missing ${missing}`,
    ),
    `  loss: ${lossText(loss)}: ${loss.reason}`,
  ]
}

const lossText = ({ kind, transactions }: LossForecast): string =>
  transactions === undefined ? kind : `${kind.replace('-', ' ')} ${counted(transactions, 'transaction')}`

/** One line where the verdict says something else than before, with the rules that do. */
function changedVerdict(before: FailoverVerdict, after: FailoverVerdict): readonly string[] {
  if (before === after) return []
  const was = new Map(before.rows.map((row) => [row.rule, row.state]))
  const rules = after.rows
    .filter(({ rule, state }) => was.get(rule) !== state)
    .map(({ rule, state, value }) => `${rule} ${state} (${value})`)
  const isSame =
    before.evidence === after.evidence &&
    before.primaryDead === after.primaryDead &&
    before.wouldFailOver === after.wouldFailOver
  if (isSame && rules.length === 0) return []
  const { evidence, primaryDead, wouldFailOver } = after
  const said = `evidence ${evidence}, primary ${primaryDead ? 'dead' : 'not dead'}, ${wouldFailOver ? 'would fail over' : 'would not fail over'}`
  return [`verdict: ${said}${rules.length === 0 ? '' : `; ${rules.join('; ')}`}`]
}

/** Everything that was known at a moment. */
export function renderMoment(state: ClusterState): readonly string[] {
  const { snapshot, verdict } = state
  const name = namesOf(state)
  return [
    `cluster ${state.name}: ${snapshot.topology}, primary ${name(snapshot.primary)}${snapshot.operation ? `, running ${snapshot.operation.id}` : ''}`,
    ...snapshot.servers.map((server) => {
      const { state: seen, failures, error } = server
      const text = seen
        ? `${seen.readOnly ? 'read-only' : 'writable'}, executed ${seen.gtid.text.executed || 'nothing'}`
        : 'never answered'
      const failing = failures === 0 ? '' : `, ${counted(failures, 'failed probe')}: ${error?.message ?? ''}`
      return `  server ${server.name}: ${stateTexts[server.stateName]}, ${server.observation}, ${text}${failing}`
    }),
    ...renderVerdict(verdict, name),
    ...snapshot.findings.map((finding) => `  finding ${finding.code}: ${findingText(finding)}`),
  ]
}

/** Settings that are not at their default, secrets left out: what the decisions are made with. */
export const renderSettings = ({ settings }: Pick<ClusterState, 'settings'>, names: readonly string[]): string =>
  settingNames
    .filter((name) => names.includes(name))
    .map((name) => `${name} = ${settingRow(name).shape.plain(settings[name] as never)}`)
    .join(', ')

export const namesOf =
  ({ snapshot }: Pick<ClusterState, 'snapshot'>): NameServer =>
  (server) =>
    server === undefined ? 'none' : (findServer(snapshot, server)?.name ?? server)
