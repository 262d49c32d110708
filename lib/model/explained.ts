// Codes that never open as an alert: `explain` and refusals of a failover or switchover report them.
import type { FindingCode } from './findings.js'

/** Why a server or a failover is excluded, where the state of the server or the settings show it already. */
export const explainedOnly: readonly FindingCode[] = [
  ...(['ERR00033', 'ERR00037', 'ERR00040', 'ERR00047'] as const),
  ...(['ERR00115', 'ERR00122'] as const),
]
