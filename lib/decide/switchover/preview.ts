// What a plan would do and cost, before anyone runs it.
import { SECOND } from '../../base/time.js'
import { commandText } from '../../model/command-text.js'
import type { Command, CommandType } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import type { Preview, PreviewStep } from '../../model/operation/preview.js'
import { addressText, isSameAddress } from '../../model/server/server.js'
import { findServer } from '../../model/snapshot.js'
import type { LossForecast } from '../../model/verdict.js'
import { elect } from '../failover/election/elect.js'
import { nameOf } from '../failover/election/eligibility.js'
import { forecastLoss, reportLoss } from '../failover/election/loss.js'
import { forecastSilent } from '../failover/veto/veto-durability.js'
import { applyDelayOf } from '../situation/channel.js'
import { behindLock, heldBy } from '../situation/lock-wait.js'
import type { Situation } from '../situation/situation.js'
import { addressBookOf, addressChange, sourceAddress } from '../situation/topology/source-address.js'
import { type LoginCheck, withLogin } from './login.js'

/** With `login` the preview says what the replication account's login comes to. */
export function previewPlan(plan: Plan, situation: Situation, login?: LoginCheck): Preview {
  const preview = outline(plan, situation)
  return login ? withLogin(preview, plan, { situation, ...login }) : preview
}

function outline(plan: Plan, situation: Situation): Preview {
  const steps = describe(plan, situation)
  return {
    kind: plan.kind,
    possible: true,
    ...(plan.oldPrimary === undefined ? {} : { oldPrimary: plan.oldPrimary }),
    ...(plan.newPrimary === undefined ? {} : { newPrimary: plan.newPrimary }),
    steps,
    expectedBlockedMs: steps.reduce(
      (sum, { blocksWrites, expectedMs }) => sum + (blocksWrites ? (expectedMs ?? 0) : 0),
      0,
    ),
    ...lossOf(plan, situation),
    risks: listRisks(plan, situation),
  }
}

/** A switchover waits for everything; a plan of repair moves no transactions away. */
function lossOf({ kind }: Plan, situation: Situation): Pick<Preview, 'loss'> {
  if (kind !== 'failover') return {}
  const forecast = forecastForced(situation)
  return { loss: { kind: forecast.kind, text: reportLoss(forecast) } }
}

const forecastForced = (situation: Situation): LossForecast =>
  forecastSilent(situation, forecastLoss(situation, elect(situation, { kind: 'failover', forced: true })))

/** Measured on an idle cluster of one machine, milliseconds; what waits for others is added to it. */
const usualMs: Readonly<Record<CommandType, number>> = {
  reprobe: 10,
  'run-script': 500,
  fence: 5,
  'take-back': 10,
  'stop-receiving': 5,
  'apply-received': 5,
  promote: 10,
  'set-semi-sync': 2,
  'make-writable': 2,
  'make-read-only': 2,
  repoint: 15,
  'renew-login': 30,
  'start-replication': 5,
  'stop-replication': 5,
  'forget-history': 50,
  'route-writes': 20,
  'set-events': 2,
  'enable-events': 10,
  'end-sessions': 20,
  'set-variables': 10,
  'guard-long-writes': 10,
  'check-login': 10,
  'check-logs': 10,
  freeze: 10,
  unfreeze: 5,
  'catch-up': 10,
  'mark-primary': 5,
  'record-crash': 5,
  'save-tail': 1_000,
  report: 0,
}

function describe({ kind, commands }: Plan, situation: Situation): readonly PreviewStep[] {
  const isGalera = situation.snapshot.topology === 'galera'
  const from = kind === 'switchover' ? commands.findIndex(({ type }) => type === 'freeze') : 0
  const to = commands.findIndex(({ type }) => type === 'make-writable')
  return commands.map((command, index) => ({
    command,
    ...('server' in command ? { server: command.server } : {}),
    text: `${textOf(command, situation)}${overText(command, situation)}`,
    expectedMs: expectedMs(command, situation),
    blocksWrites: !isGalera && to >= 0 && index >= from && index <= to,
  }))
}

/** The address that a replica will use, where that is not the manager's. */
function overText(command: Command, situation: Situation): string {
  const source = command.type === 'repoint' ? findServer(situation.snapshot, command.source) : undefined
  const address = source && sourceAddress(source, addressBookOf(situation))
  return address && !isSameAddress(address, source) ? ` over ${addressText(address)}` : ''
}

function expectedMs(command: Command, { snapshot, settings }: Situation): number {
  if (command.type !== 'apply-received' && command.type !== 'catch-up') return usualMs[command.type]
  const server = findServer(snapshot, command.server)
  return usualMs[command.type] + (server ? (applyDelayOf(server, settings) ?? 0) * SECOND : 0)
}

/** One line for people: what the command does, to whom. */
export const textOf = (command: Command, situation: Pick<Situation, 'snapshot'>): string =>
  commandText(command, (id) => nameOf(situation, id))

function listRisks({ kind, commands, newPrimary }: Plan, situation: Situation): readonly string[] {
  const { snapshot, settings } = situation
  if (snapshot.topology === 'galera')
    return ['Transactions that are open on both members at the same time may conflict, and should be retried.']
  const candidate = findServer(snapshot, newPrimary)
  const delay = candidate ? applyDelayOf(candidate, settings) : undefined
  const loss = kind === 'failover' ? forecastForced(situation) : undefined
  const absent = snapshot.servers.filter(({ id, observation }) => id !== snapshot.primary && observation !== 'answered')
  const waits = behindLock(candidate)
  const repointed = commands.flatMap((command) => (command.type === 'repoint' ? command.server : []))
  const held = snapshot.servers.filter(({ id }) => id === newPrimary || repointed.includes(id))
  const followers = commands.filter(({ type }) => type === 'repoint').length
  return [
    ...(loss && loss.kind !== 'none' ? [reportLoss(loss)] : []),
    ...(delay !== undefined && delay > 0
      ? [`${candidate?.name} has a delay of ${delay} s; writes wait until it has caught up.`]
      : []),
    ...(waits === undefined
      ? []
      : [`${candidate?.name} cannot take over before it has applied what it received: ${waits}.`]),
    ...held.flatMap((server) => {
      const lock = heldBy(server)
      return lock === undefined ? [] : [`${server.name}: ${lock}.`]
    }),
    ...absent.map(({ name }) => `${name} does not answer; it will rejoin when it returns.`),
    ...addressChange(situation, newPrimary),
    ...(followers === 0 ? ['The new primary has no replica until one returns.'] : []),
    ...(kind === 'switchover' ? ['Connections that write during the freeze wait or fail, and should retry.'] : []),
  ]
}
