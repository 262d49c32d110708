// The arguments of each operator script, in their established order.
import type { Finding } from '../model/finding.js'
import { addressText, type ServerAddress } from '../model/server/server.js'
import type { StateName } from '../model/snapshot.js'
import { stateTexts } from '../model/wire.js'
import type { ScriptCall } from './script-queue.js'

export interface FindingNotice {
  readonly cluster: string
  readonly finding: Finding
  readonly opened: boolean
  /** The address of the server of the finding, when it has one. */
  readonly address?: ServerAddress
}

export interface FindingScripts {
  readonly 'monitoring-open-state-script': string
  readonly 'monitoring-close-state-script': string
}

/** Arguments: cluster, server address (or empty), code. */
export const findingCall = (
  settings: FindingScripts,
  { cluster, finding, opened, address }: FindingNotice,
): ScriptCall => ({
  script: settings[opened ? 'monitoring-open-state-script' : 'monitoring-close-state-script'],
  args: [cluster, address ? addressText(address) : '', finding.code],
})

export interface ChangeNotice {
  readonly cluster: string
  readonly address: ServerAddress
  /** Unified, without passwords. */
  readonly diff: string
}

/** `monitoring-variable-change-script`. Arguments: cluster, server address; standard input: the diff. */
export const changeCall = (script: string, { cluster, address, diff }: ChangeNotice): ScriptCall => ({
  script,
  args: [cluster, addressText(address)],
  input: diff,
})

export interface LongNotice {
  readonly cluster: string
  readonly address: ServerAddress
  readonly kind: 'statement' | 'transaction' | 'slow-log'
  /** Connection id; 0 where it is not known. */
  readonly id: number
  readonly user: string
  readonly seconds: number
  /** Without passwords. */
  readonly statement: string
}

/** `monitoring-long-query-script`. Arguments: cluster, server address, kind, connection id, user, seconds; standard input: the statement. */
export const longCall = (script: string, notice: LongNotice): ScriptCall => ({
  script,
  args: [
    notice.cluster,
    addressText(notice.address),
    notice.kind,
    String(notice.id),
    notice.user,
    String(Math.floor(notice.seconds)),
  ],
  input: notice.statement,
})

export interface ServerNotice extends ServerAddress {
  readonly cluster: string
  readonly from: StateName
  readonly to: StateName
}

/** `db-servers-state-change-script`. Arguments: cluster, host, port, new state, old state, as clients know them. */
export const serverCall = (script: string, { cluster, host, port, from, to }: ServerNotice): ScriptCall => ({
  script,
  args: [cluster, host, String(port), stateTexts[to], stateTexts[from]],
})

/** `replication-error-script`: called for a replica that no longer receives or applies. Arguments: address, old state, new state. */
export const replicationErrorCall = (script: string, notice: ServerNotice): ScriptCall | undefined =>
  stopped.has(notice.to) && !stopped.has(notice.from)
    ? { script, args: [addressText(notice), stateTexts[notice.from], stateTexts[notice.to]] }
    : undefined

const stopped: ReadonlySet<StateName> = new Set(['replica-error', 'relay-error'])

export interface ProxyNotice extends ServerAddress {
  readonly cluster: string
  readonly from: string
  readonly to: string
  /** State of the primary at that moment. */
  readonly primary: StateName
}

/** `proxy-servers-change-state-script`. Arguments: cluster, host, port, new state, old state, state of the primary. */
export const proxyCall = (script: string, { cluster, host, port, from, to, primary }: ProxyNotice): ScriptCall => ({
  script,
  args: [cluster, host, String(port), to, from, stateTexts[primary]],
})
