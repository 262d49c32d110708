// What of a message never enters the recording: passwords, keys, tokens and the texts of users' statements. One row per message.
import { isWriting } from '../../../lib/dialect/index.js'
import type { SqlTls } from '../../../lib/effect/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { FindingCode } from '../../../lib/model/findings.js'
import type { Appointment } from '../../../lib/model/operation/appointment.js'
import type { CommandType } from '../../../lib/model/operation/command.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import type { Named } from '../../../lib/model/server/named.js'
import type { SlowReading } from '../../../lib/model/server/reading.js'
import type { LongSession } from '../../../lib/model/server/watched.js'
import { exportSettings } from '../../../lib/settings/index.js'
import type { RuntimeProtocol } from '../state/message/messages.js'
import type { ClusterState } from '../state/state.js'
import { type Hiding, WITHHELD } from './hiding.js'

type Withhold<T extends keyof RuntimeProtocol> = (
  payload: RuntimeProtocol[T]['in'],
  hiding: Hiding,
) => Readonly<Record<string, unknown>>

/** Every message of the actor; the compiler names one that is missing. */
const withheld: { readonly [T in keyof RuntimeProtocol]: 'nothing' | Withhold<T> } = {
  reconfigure: ({ settings, ...rest }, hiding) => ({ ...rest, settings: hiding.settings(settings) }),
  'read-tls': ({ tls }) => (tls ? { tls: withoutKeys(tls) } : {}),
  'observed-slowly': ({ reading }) => ({ reading: withoutStatements(reading) }),
  'permit-rotation': ({ logins, ...rest }, hiding) => ({ ...rest, logins: hiding.logins(logins) }),
  'step-rotation': ({ logins, ...rest }, hiding) => ({ ...rest, logins: hiding.logins(logins) }),
  stepped: ({ operation }) => ({ operation: withoutOffenders(operation) }),
  ended: ({ operation, ...rest }) => ({ ...rest, operation: withoutOffenders(operation) }),
  // A refused switchover may name running writes with their statements.
  'roll-refused': () => ({ reason: WITHHELD }),
  'keep-appointment': ({ appointment }) => ({ appointment: withoutReason(appointment) }),
  'run-statements': ({ server, statements }) => ({ server, statements: statements.map(() => WITHHELD) }),
  'host-log': ({ server, task }) => ({ server, task, proof: { sealed: WITHHELD } }),
  'ask-host-order': ({ server, task, ask: { type } }) => ({ server, task, ask: { type } }),
  // Lines of logs, which quote statements and what programs print: nothing is decided by them.
  'job-line': (payload) => ({ ...payload, line: WITHHELD }),
  'noted-job': ({ job: { result, ...job } }) => ({ job: result === undefined ? job : { ...job, result: WITHHELD } }),
  noted: (payload) => ({ ...payload, text: WITHHELD }),
  switchover: 'nothing',
  failover: 'nothing',
  relocate: 'nothing',
  bootstrap: 'nothing',
  cleanup: 'nothing',
  optimize: 'nothing',
  'begin-host-job': 'nothing',
  'begin-backup': 'nothing',
  'begin-benchmark': 'nothing',
  'begin-trials': 'nothing',
  'read-trials': 'nothing',
  'try-settings': 'nothing',
  'begin-recovery': 'nothing',
  'run-service': 'nothing',
  'run-services': 'nothing',
  'schedule-switchover': 'nothing',
  'begin-roll': 'nothing',
  'open-roll': 'nothing',
  'form-group': 'nothing',
  'begin-return': 'nothing',
  'settle-divergence': 'nothing',
  'begin-checksum': 'nothing',
  'begin-schema-scan': 'nothing',
  'begin-table-repair': 'nothing',
  'begin-cluster-recovery': 'nothing',
  'permit-service': 'nothing',
  'start-replication': 'nothing',
  'stop-replication': 'nothing',
  'toggle-read-only': 'nothing',
  act: 'nothing',
  'kill-statement': 'nothing',
  'change-cookies': 'nothing',
  'cancel-switchover': 'nothing',
  appointment: 'nothing',
  'cancel-roll': 'nothing',
  'cancel-return': 'nothing',
  'release-cluster-recovery': 'nothing',
  'end-roll': 'nothing',
  'note-revoked': 'nothing',
  'step-roll': 'nothing',
  'rolled-server': 'nothing',
  roll: 'nothing',
  recover: 'nothing',
  'service-acted': 'nothing',
  'keep-slow-settings': 'nothing',
  'keep-pause': 'nothing',
  'keep-return': 'nothing',
  'keep-recovery': 'nothing',
  'history-reset': 'nothing',
  'maintenance-ended': 'nothing',
  'reset-failover-control': 'nothing',
  'reset-sla': 'nothing',
  'set-maintenance': 'nothing',
  announce: 'nothing',
  observed: 'nothing',
  'observed-proxy': 'nothing',
  'observed-outside': 'nothing',
  'observed-presence': 'nothing',
  'observed-lock-wait': 'nothing',
  'observed-held-lock': 'nothing',
  'observed-disks': 'nothing',
  'observed-login': 'nothing',
  'observed-fresh-login': 'nothing',
  'read-job-table': 'nothing',
  'observed-logs': 'nothing',
  capturing: 'nothing',
  tick: 'nothing',
  tenure: 'nothing',
  'read-cookies': 'nothing',
  'job-progress': 'nothing',
  'read-backups': 'nothing',
  'cancel-job': 'nothing',
  'plan-return': 'nothing',
  'read-divergence': 'nothing',
  'read-checksums': 'nothing',
  'read-schema': 'nothing',
  'plan-table-repair': 'nothing',
  'read-checksum': 'nothing',
  'plan-divergence': 'nothing',
  'plan-cluster-recovery': 'nothing',
  'plan-new-server': 'nothing',
  'enter-new-server': 'nothing',
  'make-new-server': 'nothing',
  'await-new-server': 'nothing',
  'unmake-new-server': 'nothing',
  'forget-new-server': 'nothing',
  'leave-new-server': 'nothing',
  'new-servers': 'nothing',
  'keep-new-server': 'nothing',
  'search-logs': 'nothing',
  'plan-work': 'nothing',
  'permit-act': 'nothing',
  'read-ended': 'nothing',
  snapshot: 'nothing',
  explain: 'nothing',
  'plan-switchover': 'nothing',
  'plan-failover': 'nothing',
  'describe-service': 'nothing',
  'read-option-files': 'nothing',
  job: 'nothing',
  read: 'nothing',
  'read-busy': 'nothing',
  'wait-databases': 'nothing',
  'explain-statement': 'nothing',
  'diff-variables': 'nothing',
  'read-configuration': 'nothing',
  'read-series': 'nothing',
  usage: 'nothing',
  'read-recording': 'nothing',
}

/** The payload as it may be stored; texts in it pass `Hiding.text` besides. */
export function withholdFrom(type: keyof RuntimeProtocol, payload: unknown, hiding: Hiding): unknown {
  const row = withheld[type]
  return row === 'nothing' ? payload : (row as (given: unknown, hiding: Hiding) => unknown)(payload, hiding)
}

/** The state as it may be stored. Its log is left out: nothing is decided by it. */
export function withholdFromState(
  { settings, tls, snapshot, lastOperation, appointment, ...state }: ClusterState,
  hiding: Hiding,
) {
  hiding.learn(settings)
  const { operation } = snapshot
  return {
    ...state,
    settings: hiding.settings(exportSettings(settings)),
    ...(tls ? { tls: withoutKeys(tls) } : {}),
    ...(appointment ? { appointment: withoutReason(appointment) } : {}),
    ...(lastOperation ? { lastOperation: withoutOffenders(lastOperation) } : {}),
    snapshot: {
      ...snapshot,
      ...(operation ? { operation: withoutOffenders(operation) } : {}),
      servers: snapshot.servers.map((server) =>
        server.slow ? { ...server, slow: withoutStatements(server.slow) } : server,
      ),
      findings: snapshot.findings.map(withoutDetail),
    },
    log: [],
  }
}

/** What decides something of TLS: whether there is any, and what is wrong with it. */
const withoutKeys = ({ ca: _, cert: _cert, key: _key, ...tls }: SqlTls): SqlTls => tls

function withoutStatements(reading: SlowReading): SlowReading {
  const { variables, status, longStatements, openTransactions } = reading
  return {
    ...reading,
    variables: withoutLogins(variables),
    status: decisiveOf(status),
    ...(longStatements ? { longStatements: longStatements.map(withoutText) } : {}),
    ...(openTransactions ? { openTransactions: openTransactions.map(withoutText) } : {}),
  }
}

/** Hundreds of counters change with every slow probe; these are all that decisions read. */
export const decisiveStatus = /^(questions|slow_queries|binlog_commits|wsrep_\w+)$/

/** Servers share their lists of names. */
const decisiveNames = new WeakMap<readonly string[], Pick<Named, 'names'> & { readonly indices: readonly number[] }>()

function decisiveOf({ names, values }: Named): Named {
  const known = decisiveNames.get(names)
  const indices = known?.indices ?? names.flatMap((name, index) => (decisiveStatus.test(name) ? [index] : []))
  const kept = known?.names ?? indices.map((index) => names[index] ?? '')
  if (!known) decisiveNames.set(names, { names: kept, indices })
  return { names: kept, values: indices.map((index) => values[index] ?? '') }
}

/** Variables that hold a login, such as `wsrep_sst_auth`; switches and figures of such names stay. */
function withoutLogins(variables: Named): Named {
  const { names, values } = variables
  const holding = names.flatMap((name, index) => (/(_auth|passw(or)?d)$/.test(name) ? [index] : []))
  const filled = holding.filter((index) => !/^(|ON|OFF|[\d.]+)$/.test(values[index] ?? ''))
  if (filled.length === 0) return variables
  return { names, values: values.map((value, index) => (filled.includes(index) ? WITHHELD : value)) }
}

/** A freeze that running writes prevent names them with their statements. */
function withoutOffenders(operation: Operation): Operation {
  const naming = operation.steps.flatMap(({ command, state, message }) =>
    message !== undefined && state === 'failed' && stopsWrites.has(command.type) ? [message] : [],
  )
  if (naming.length === 0) return operation
  const without = (text: string) => naming.reduce((kept, message) => kept.replaceAll(message, WITHHELD), text)
  return {
    ...operation,
    steps: operation.steps.map((step) =>
      step.message === undefined ? step : { ...step, message: without(step.message) },
    ),
    ...(operation.message === undefined ? {} : { message: without(operation.message) }),
  }
}

const withoutReason = (appointment: Appointment): Appointment =>
  appointment.message === undefined ? appointment : { ...appointment, message: WITHHELD }

const stopsWrites: ReadonlySet<CommandType> = new Set<CommandType>(['freeze', 'guard-long-writes'])

/** Whether it writes is decided by; what it says is not. */
const withoutText = (session: LongSession): LongSession => {
  const { statement } = session
  return { ...session, statement: statement === '' ? '' : `${isWriting(statement) ? 'UPDATE' : 'SELECT'} ${WITHHELD}` }
}

/** Findings that quote statements of users. */
const quoting: ReadonlySet<FindingCode> = new Set<FindingCode>(['WARN0360', 'WARN0361', 'WARN0122', 'WARN0217'])

const withoutDetail = (finding: Finding): Finding =>
  quoting.has(finding.code) ? { ...finding, detail: WITHHELD } : finding
