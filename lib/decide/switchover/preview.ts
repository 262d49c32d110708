// What a plan would do and cost, before anyone runs it.
import { SECOND } from '../../base/time.js'
import { findServer } from '../../model/snapshot.js'
import type { Command, CommandType } from '../../model/work/command.js'
import type { Plan } from '../../model/work/operation.js'
import type { Preview, PreviewStep } from '../../model/work/preview.js'
import { elect } from '../failover/elect.js'
import { nameOf } from '../failover/eligibility.js'
import { forecastLoss } from '../failover/loss.js'
import { applyDelayOf } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'

export function previewPlan(plan: Plan, situation: Situation): Preview {
  const steps = describe(plan, situation)
  return {
    kind: plan.kind,
    possible: true,
    ...(plan.oldPrimary === undefined ? {} : { oldPrimary: plan.oldPrimary }),
    ...(plan.newPrimary === undefined ? {} : { newPrimary: plan.newPrimary }),
    steps,
    expectedBlockedMs: steps.reduce((sum, { blocksWrites, expectedMs }) => sum + (blocksWrites ? expectedMs : 0), 0),
    risks: listRisks(plan, situation),
  }
}

/** Measured on an idle cluster of one machine, milliseconds; what waits for others is added to it. */
const usualMs: Readonly<Record<CommandType, number>> = {
  'look-again': 10,
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
    case 'look-again':
      if (command.proof)
        return `Wait for the second refusal, then elect once more; stop unless it is ${name(command.candidate)}`
      return command.frozen
        ? `Elect once more, now that nobody receives; stop unless it is ${name(command.candidate)}`
        : `Look at every server again; stop unless ${name(command.candidate)} is still the one`
    case 'run-script':
      return `Run ${command.script}`
    case 'fence':
      return `Keep ${name(command.server)} from taking writes`
    case 'stop-receiving':
      return `Let ${name(command.server)} stop receiving; it goes on applying`
    case 'apply-received':
      return `Wait until ${name(command.server)} has applied what it received`
    case 'promote':
      return `End the replication of ${name(command.server)}`
    case 'set-semi-sync':
      return `Semi-sync on ${name(command.server)}: source side ${onOff(command.source)}, replica side ${onOff(command.replica)}`
    case 'make-writable':
      return `Open ${name(command.server)} for writes`
    case 'make-read-only':
      return `Close ${name(command.server)} for writes`
    case 'repoint':
      return `Let ${name(command.server)} follow ${name(command.source)}`
    case 'renew-login':
      return `Let ${name(command.server)} log in to its source with the new password`
    case 'start-replication':
      return `Start the replication of ${name(command.server)}`
    case 'stop-replication':
      return `Stop the replication of ${name(command.server)}`
    case 'forget-history':
      return `Let ${name(command.server)} follow nobody and delete its binary logs`
    case 'route-writes':
      return command.primary === undefined
        ? 'Let the proxies hold writes'
        : `Let the proxies send writes to ${name(command.primary)}`
    case 'set-events':
      return `Switch the event scheduler of ${name(command.server)} ${onOff(command.on)}`
    case 'enable-events':
      return `Enable the events that ${name(command.server)} had disabled as a replica`
    case 'set-variables':
      return `Set ${assignments(command.values)} on ${name(command.server)}`
    case 'guard-long-writes':
      return `Wait at most ${command.waitMs} ms for writes on ${name(command.server)} that run longer than ${command.longerThanSeconds} s`
    case 'freeze':
      return `Freeze ${name(command.server)}: read-only, then a global read lock`
    case 'unfreeze':
      return `Release ${name(command.server)}, ${command.writable ? 'open' : 'closed'} for writes`
    case 'catch-up':
      return `Wait until ${name(command.server)} has everything ${name(command.source)} has`
    case 'mark-primary':
      return `Write a harmless transaction on ${name(command.server)}`
    case 'record-crash':
      return `Record what ${name(command.crash.newPrimary)} had when it took over`
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
    return ['Transactions that are open on both members for a moment may conflict, and should try again.']
  const candidate = findServer(snapshot, newPrimary)
  const delay = candidate ? applyDelayOf(candidate, settings) : undefined
  const loss =
    kind === 'failover' ? forecastLoss(situation, elect(situation, { kind: 'failover', forced: true })) : undefined
  const absent = snapshot.servers.filter(({ id, observation }) => id !== snapshot.primary && observation !== 'answered')
  const followers = commands.filter(({ type }) => type === 'repoint').length
  return [
    ...(loss && loss.kind !== 'none' ? [`Transactions may be lost: ${loss.reason}`] : []),
    ...(delay !== undefined && delay > 0 ? [`${candidate?.name} is ${delay} s behind, and writes wait for it.`] : []),
    ...absent.map(({ name }) => `${name} does not answer and is brought back when it does.`),
    ...(followers === 0 ? ['No replica will follow the new primary until one returns.'] : []),
    ...(kind === 'switchover' ? ['Connections that write during the freeze wait or fail, and should try again.'] : []),
  ]
}
