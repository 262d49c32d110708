// What a plan would do and cost, before anyone runs it.
import { SECOND } from '../../base/time.js'
import type { Command, CommandType } from '../../model/operation/command.js'
import type { Plan } from '../../model/operation/operation.js'
import type { Preview, PreviewStep } from '../../model/operation/preview.js'
import { findServer } from '../../model/snapshot.js'
import { elect } from '../failover/elect.js'
import { nameOf } from '../failover/eligibility.js'
import { forecastLoss, reportLoss } from '../failover/loss.js'
import { applyDelayOf } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'
import { deniedLogin } from '../situation/topology/source-login.js'

export function previewPlan(plan: Plan, situation: Situation): Preview {
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
    risks: listRisks(plan, situation),
  }
}

/** Measured on an idle cluster of one machine, milliseconds; what waits for others is added to it. */
const usualMs: Readonly<Record<CommandType, number>> = {
  reprobe: 10,
  'run-script': 500,
  fence: 5,
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
  'set-variables': 10,
  'guard-long-writes': 10,
  'check-login': 10,
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
    text: textOf(command, situation),
    expectedMs: expectedMs(command, situation),
    blocksWrites: !isGalera && to >= 0 && index >= from && index <= to,
  }))
}

function expectedMs(command: Command, { snapshot, settings }: Situation): number {
  if (command.type !== 'apply-received' && command.type !== 'catch-up') return usualMs[command.type]
  const server = findServer(snapshot, command.server)
  return usualMs[command.type] + (server ? (applyDelayOf(server, settings) ?? 0) * SECOND : 0)
}

/** One line for people: what the command does, to whom. */
export function textOf(command: Command, situation: Pick<Situation, 'snapshot'>): string {
  const name = (id: string | undefined) => nameOf(situation, id)
  switch (command.type) {
    case 'reprobe':
      if (command.proof)
        return `Wait for the second refused connection, then elect again; abort unless ${name(command.candidate)} is elected`
      return command.frozen
        ? `Elect again, now that no replica receives; abort unless ${name(command.candidate)} is elected`
        : `Probe all servers again; abort unless ${name(command.candidate)} is still the best candidate`
    case 'run-script':
      return `Run ${command.script}`
    case 'fence':
      return `Fence ${name(command.server)}: make it read-only`
    case 'stop-receiving':
      return `Stop receiving on ${name(command.server)}; it continues to apply`
    case 'apply-received':
      return `Wait until ${name(command.server)} has applied what it received`
    case 'promote':
      return `End replication on ${name(command.server)}`
    case 'set-semi-sync':
      return `Semi-sync on ${name(command.server)}: source side ${onOff(command.source)}, replica side ${onOff(command.replica)}`
    case 'make-writable':
      return `Make ${name(command.server)} writable`
    case 'make-read-only':
      return `Make ${name(command.server)} read-only`
    case 'repoint':
      return `Repoint ${name(command.server)} to ${name(command.source)}`
    case 'renew-login':
      return `Set the new replication password on ${name(command.server)}`
    case 'start-replication':
      return `Start replication on ${name(command.server)}`
    case 'stop-replication':
      return `Stop replication on ${name(command.server)}`
    case 'forget-history':
      return `Remove the source of ${name(command.server)} and delete its binary logs`
    case 'route-writes':
      return command.primary === undefined
        ? 'Hold writes at the proxies'
        : `Route writes to ${name(command.primary)} at the proxies`
    case 'set-events':
      return `Turn the event scheduler of ${name(command.server)} ${onOff(command.on)}`
    case 'enable-events':
      return `Enable the events that were disabled on ${name(command.server)} as a replica`
    case 'set-variables':
      return `Set ${assignments(command.values)} on ${name(command.server)}`
    case 'guard-long-writes':
      return `Wait at most ${command.waitMs} ms for writes on ${name(command.server)} that run longer than ${command.longerThanSeconds} s`
    case 'check-login':
      return `Log in on ${name(command.server)} with the replication account; abort if it is refused`
    case 'freeze':
      return `Freeze ${name(command.server)}: read-only, then a global read lock`
    case 'unfreeze':
      return `Unfreeze ${name(command.server)} (${command.writable ? 'writable' : 'read-only'})`
    case 'catch-up':
      return `Wait until ${name(command.server)} has everything ${name(command.source)} has`
    case 'mark-primary':
      return `Write a harmless transaction on ${name(command.server)}`
    case 'record-crash':
      return `Record the position at which ${name(command.crash.newPrimary)} took over`
    case 'save-tail':
      return `Save the transactions that only ${name(command.server)} has`
    case 'report':
      return command.text
  }
}

const assignments = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const onOff = (on: boolean): string => (on ? 'on' : 'off')

function listRisks({ kind, commands, newPrimary }: Plan, situation: Situation): readonly string[] {
  const { snapshot, settings } = situation
  if (snapshot.topology === 'galera')
    return ['Transactions that are open on both members at the same time may conflict, and should be retried.']
  const candidate = findServer(snapshot, newPrimary)
  const delay = candidate ? applyDelayOf(candidate, settings) : undefined
  const loss =
    kind === 'failover' ? forecastLoss(situation, elect(situation, { kind: 'failover', forced: true })) : undefined
  const absent = snapshot.servers.filter(({ id, observation }) => id !== snapshot.primary && observation !== 'answered')
  const followers = commands.filter(({ type }) => type === 'repoint').length
  return [
    ...(loss && loss.kind !== 'none' ? [reportLoss(loss)] : []),
    ...(delay !== undefined && delay > 0
      ? [`${candidate?.name} has a delay of ${delay} s; writes wait until it has caught up.`]
      : []),
    ...(candidate?.slow?.sourceLogin?.state === 'denied' ? [`${deniedLogin(candidate.slow.sourceLogin)}.`] : []),
    ...absent.map(({ name }) => `${name} does not answer; it will rejoin when it returns.`),
    ...(followers === 0 ? ['The new primary has no replica until one returns.'] : []),
    ...(kind === 'switchover' ? ['Connections that write during the freeze wait or fail, and should retry.'] : []),
  ]
}
