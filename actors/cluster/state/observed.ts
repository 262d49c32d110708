// A cluster that is only observed (`monitoring-observe`): which messages and commands would change something, in two tables.
import { fail, type Result } from '../../../lib/base/result.js'
import type { ActorCommand } from './command.js'
import type { RuntimeProtocol } from './messages.js'
import type { ClusterState } from './state.js'

export const isObserved = ({ settings }: Pick<ClusterState, 'settings'>): boolean => settings['monitoring-observe']

export const observing = (name: string): Result<never> =>
  fail('observing', `${name} is only observed (monitoring-observe): nothing is changed`)

/** `changes`: a database, a host, a proxy or a flag of a server would be changed by what the message starts. */
type Effect = 'changes' | 'none'

/** Every message of the actor. Refused where the cluster is observed: those that change, unless they only ask (`dry`). */
export const messageEffects: { readonly [T in keyof RuntimeProtocol]: Effect } = {
  switchover: 'changes',
  failover: 'changes',
  relocate: 'changes',
  bootstrap: 'changes',
  cleanup: 'changes',
  optimize: 'changes',
  'run-service': 'changes',
  'run-services': 'changes',
  'schedule-switchover': 'changes',
  'begin-roll': 'changes',
  'open-roll': 'changes',
  'permit-rotation': 'changes',
  'step-rotation': 'changes',
  'form-group': 'changes',
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
  'end-roll': 'none',
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
  'history-reset': 'none',
  'maintenance-ended': 'none',
  // The manager's own memory.
  'reset-failover-control': 'none',
  'reset-sla': 'none',
  'set-maintenance': 'none',
  announce: 'none',
  reconfigure: 'none',
  observed: 'none',
  'observed-slowly': 'none',
  'observed-proxy': 'none',
  'observed-outside': 'none',
  'observed-presence': 'none',
  'observed-disks': 'none',
  capturing: 'none',
  tick: 'none',
  'read-cookies': 'none',
  'read-tls': 'none',
  noted: 'none',
  'job-line': 'none',
  // Reads.
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
}

/** Every command that leaves the actor. Dropped where the cluster is observed: those that change. */
export const commandEffects: { readonly [T in ActorCommand['type']]: Effect } = {
  operate: 'changes',
  perform: 'changes',
  'align-proxies': 'changes',
  'notify-finding': 'changes',
  'notify-state': 'changes',
  'notify-proxy': 'changes',
  capture: 'none',
  'run-command': 'changes',
  act: 'changes',
  kill: 'changes',
  'end-maintenance': 'none',
  'run-statements': 'changes',
  'change-cookies': 'changes',
  optimize: 'changes',
  'run-service': 'changes',
  'run-services': 'changes',
  'form-group': 'changes',
  'schedule-switchover': 'changes',
  'cancel-switchover': 'none',
  'begin-roll': 'changes',
  rotate: 'changes',
  'inspect-accounts': 'changes',
  'cancel-roll': 'none',
  abort: 'none',
  'plan-work': 'none',
  emit: 'none',
  persist: 'none',
  publish: 'none',
  'probe-now': 'none',
  reconfigure: 'none',
  'reply-probed': 'none',
  'read-configuration': 'none',
  read: 'none',
  'read-busy': 'none',
  explain: 'none',
  'describe-service': 'none',
  'read-option-files': 'none',
  'read-job': 'none',
}

/** Whether a message or command only asks what would be done. */
export const isDry = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && 'dry' in given && given.dry === true
