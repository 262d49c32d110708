// A cluster that is only observed (`monitoring-observe`), or on which another manager acts: which messages and commands would change something, in two tables.
import { fail, type Result } from '../../../../lib/base/result.js'
import type { Finding } from '../../../../lib/model/finding.js'
import { ownFindings } from '../../../../lib/model/findings.js'
import { isMinor } from '../../../../lib/model/operation/operation.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'
import type { ActorCommand } from '../message/command.js'
import type { RuntimeProtocol } from '../message/messages.js'
import type { ClusterState } from '../state.js'

/** Nothing is changed: by the setting, or because another instance owns the cluster, or may own it by now. */
export const isObserved = ({ settings, tenure = 'owner' }: Pick<ClusterState, 'settings' | 'tenure'>): boolean =>
  settings['monitoring-observe'] || tenure !== 'owner'

export function observing({ name, tenure = 'owner' }: Pick<ClusterState, 'name' | 'tenure'>): Result<never> {
  if (tenure === 'standby')
    return fail('not-owner', `another instance of the manager owns ${name}: nothing is changed here`)
  if (tenure === 'unproven')
    return fail('not-owner', `this instance cannot prove that it owns ${name}: nothing is changed`)
  return fail('observing', `${name} is only observed (monitoring-observe): nothing is changed`)
}

/**
 * Of two managers without a shared store only one changes the servers, on request, too: what both do at once undoes the other's. The
 * failure names the one to ask.
 */
export const refuseBesideRival = ({
  name,
  snapshot: { rival },
}: Pick<ClusterState, 'name' | 'snapshot'>): Result<never> | undefined =>
  rival?.acts
    ? fail('other-manager', `the manager at ${rival.hosts.join(', ')} acts on the servers of ${name}: ask there`)
    : undefined

/** What a plan says of work that `refuseBesideRival` would refuse. */
export function previewBesideRival(preview: Preview, state: Pick<ClusterState, 'name' | 'snapshot'>): Preview {
  const refusal = refuseBesideRival(state)
  if (!refusal || refusal.ok) return preview
  return { kind: preview.kind, possible: false, refusal: refusal.failure.message, steps: [], risks: [] }
}

/** Why nothing that changes the cluster begins here now; undefined where it may. */
export const refuseChanges = (state: ClusterState): Result<never> | undefined =>
  isObserved(state) ? observing(state) : refuseBesideRival(state)

/** Whether proxies are given routes and users now: here, and not by the plan that moves the primary role. */
export const mayRoute = (state: ClusterState): boolean =>
  state.ready && refuseChanges(state) === undefined && (!state.snapshot.operation || isMinor(state.snapshot.operation))

/**
 * Whether scripts of operators are called from here. Of two managers on the same servers the one that acts calls them; the other one
 * reports what concerns itself alone.
 */
export const mayNotify = (state: Pick<ClusterState, 'settings' | 'tenure' | 'snapshot'>, finding?: Finding): boolean =>
  !isObserved(state) &&
  (state.snapshot.rival?.acts !== true || (finding !== undefined && ownFindings.has(finding.code)))

/** `changes`: a database, a host, a proxy or a flag of a server would be changed by what the message starts. */
type Effect = 'changes' | 'none'

/** `notifies`: a script of the operator is called. */
type CommandEffect = Effect | 'notifies'

/** Every message of the actor. Refused by `refuseChanges`: those that change, unless they only ask (`dry`). */
export const messageEffects: { readonly [T in keyof RuntimeProtocol]: Effect } = {
  switchover: 'changes',
  failover: 'changes',
  relocate: 'changes',
  bootstrap: 'changes',
  cleanup: 'changes',
  optimize: 'changes',
  'begin-host-job': 'changes',
  'host-log': 'none',
  'ask-host-order': 'none',
  'begin-backup': 'changes',
  'begin-recovery': 'changes',
  'begin-benchmark': 'changes',
  'begin-trials': 'changes',
  'run-service': 'changes',
  'run-services': 'changes',
  'schedule-switchover': 'changes',
  'begin-roll': 'changes',
  'open-roll': 'changes',
  'permit-rotation': 'changes',
  'step-rotation': 'changes',
  'form-group': 'changes',
  'begin-return': 'changes',
  'settle-divergence': 'changes',
  'begin-checksum': 'changes',
  'begin-schema-scan': 'changes',
  'begin-table-repair': 'changes',
  'begin-cluster-recovery': 'changes',
  'permit-service': 'changes',
  'start-replication': 'changes',
  'stop-replication': 'changes',
  'toggle-read-only': 'changes',
  act: 'changes',
  'kill-statement': 'changes',
  'run-statements': 'changes',
  'change-cookies': 'changes',
  // What is under way is finished, and can be ended.
  'cancel-switchover': 'none',
  appointment: 'none',
  'keep-appointment': 'none',
  'cancel-roll': 'none',
  'cancel-return': 'none',
  'release-cluster-recovery': 'none',
  'end-roll': 'none',
  'note-revoked': 'none',
  'step-roll': 'none',
  'rolled-server': 'none',
  'roll-refused': 'none',
  roll: 'none',
  stepped: 'none',
  ended: 'none',
  recover: 'none',
  'service-acted': 'none',
  'keep-slow-settings': 'none',
  'keep-pause': 'none',
  'keep-return': 'none',
  'keep-recovery': 'none',
  'history-reset': 'none',
  'maintenance-ended': 'none',
  // The manager's own memory.
  'reset-failover-control': 'none',
  'reset-sla': 'none',
  'set-maintenance': 'none',
  announce: 'none',
  reconfigure: 'none',
  'try-settings': 'none',
  observed: 'none',
  'observed-slowly': 'none',
  'observed-login': 'none',
  'observed-fresh-login': 'none',
  'observed-proxy': 'none',
  'observed-outside': 'none',
  'observed-presence': 'none',
  'observed-lock-wait': 'none',
  'observed-held-lock': 'none',
  'observed-disks': 'none',
  'read-job-table': 'none',
  'observed-logs': 'none',
  capturing: 'none',
  tick: 'none',
  tenure: 'none',
  'read-cookies': 'none',
  'read-tls': 'none',
  noted: 'none',
  'job-line': 'none',
  'noted-job': 'none',
  'job-progress': 'none',
  'read-backups': 'none',
  'cancel-job': 'none',
  // Reads.
  'plan-return': 'none',
  'read-divergence': 'none',
  'read-checksums': 'none',
  'read-trials': 'none',
  'read-schema': 'none',
  'plan-table-repair': 'none',
  'read-checksum': 'none',
  'plan-divergence': 'changes',
  'plan-cluster-recovery': 'none',
  'plan-new-server': 'none',
  'enter-new-server': 'changes',
  'make-new-server': 'changes',
  'await-new-server': 'none',
  'unmake-new-server': 'changes',
  'forget-new-server': 'none',
  'leave-new-server': 'none',
  'new-servers': 'none',
  'keep-new-server': 'none',
  'search-logs': 'none',
  'plan-work': 'none',
  'permit-act': 'none',
  'read-ended': 'none',
  snapshot: 'none',
  explain: 'none',
  'plan-switchover': 'none',
  'plan-failover': 'none',
  'describe-service': 'none',
  'read-option-files': 'none',
  job: 'none',
  read: 'none',
  'read-busy': 'none',
  'wait-databases': 'none',
  'explain-statement': 'none',
  'diff-variables': 'none',
  'read-configuration': 'none',
  'read-series': 'none',
  'read-recording': 'none',
  usage: 'none',
}

/** Every command that leaves the actor. Dropped where the cluster is observed: those that change or notify. */
export const commandEffects: { readonly [T in ActorCommand['type']]: CommandEffect } = {
  operate: 'changes',
  perform: 'changes',
  'align-proxies': 'changes',
  'notify-finding': 'notifies',
  'notify-state': 'notifies',
  'notify-proxy': 'notifies',
  capture: 'none',
  'run-command': 'changes',
  act: 'changes',
  kill: 'changes',
  'end-maintenance': 'none',
  'run-statements': 'changes',
  'change-cookies': 'changes',
  optimize: 'changes',
  'begin-backup': 'changes',
  'begin-recovery': 'changes',
  'begin-benchmark': 'changes',
  'begin-trials': 'changes',
  'run-service': 'changes',
  'run-services': 'changes',
  'form-group': 'changes',
  'begin-return': 'changes',
  'settle-divergence': 'changes',
  'begin-checksum': 'changes',
  'begin-schema-scan': 'changes',
  'begin-table-repair': 'changes',
  'begin-cluster-recovery': 'changes',
  'schedule-switchover': 'changes',
  'cancel-switchover': 'none',
  'begin-roll': 'changes',
  rotate: 'changes',
  'inspect-accounts': 'changes',
  'cancel-roll': 'none',
  'cancel-return': 'none',
  'release-cluster-recovery': 'none',
  'plan-return': 'none',
  'read-divergence': 'none',
  'read-checksums': 'none',
  'read-trials': 'none',
  'read-schema': 'none',
  'plan-table-repair': 'none',
  'read-checksum': 'none',
  'plan-divergence': 'changes',
  'plan-cluster-recovery': 'none',
  'plan-new-server': 'none',
  'enter-new-server': 'changes',
  'make-new-server': 'changes',
  'await-new-server': 'none',
  'unmake-new-server': 'changes',
  'forget-new-server': 'none',
  'search-logs': 'none',
  abort: 'none',
  'plan-work': 'none',
  emit: 'none',
  persist: 'none',
  publish: 'none',
  'note-answer': 'none',
  'probe-now': 'none',
  'try-login': 'none',
  reconfigure: 'none',
  'reply-probed': 'none',
  'read-configuration': 'none',
  'read-series': 'none',
  'read-recording': 'none',
  read: 'none',
  'read-kept': 'none',
  'begin-host-job': 'changes',
  'host-log': 'none',
  'ask-host-order': 'none',
  'read-busy': 'none',
  explain: 'none',
  'describe-service': 'none',
  'read-option-files': 'none',
  'read-job': 'none',
  'cancel-job': 'none',
}

/** Whether the command may pass the boundary of the actor. */
export function passes(state: Pick<ClusterState, 'settings' | 'tenure' | 'snapshot'>, command: ActorCommand): boolean {
  switch (commandEffects[command.type]) {
    case 'changes':
      return !isObserved(state) || isDry(command)
    case 'notifies':
      return mayNotify(state, 'finding' in command ? command.finding : undefined)
    case 'none':
      return true
  }
}

/** Whether a message or command only asks what would be done. */
export const isDry = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'dry' in given && given.dry === true
