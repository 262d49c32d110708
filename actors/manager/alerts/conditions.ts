// The conditions of a cluster that are alerts, made of its view. Pure.
import type { AlertCondition } from '../../../lib/model/alert.js'
import type { Finding } from '../../../lib/model/finding.js'
import { findings as registry } from '../../../lib/model/findings.js'
import { stateTexts } from '../../../lib/model/wire.js'
import { isTriggered } from '../../../lib/notify/index.js'
import type { ConditionsView } from '../../protocol/cluster.js'

/** States of servers that are alerts, with what can be done. Others are shown by findings. */
const states: Readonly<Record<string, { readonly text: string; readonly hint: string }>> = {
  [stateTexts.failed]: {
    text: 'The server does not answer.',
    hint: 'Check its host, process and error log, and start it; with autorejoin it becomes a replica again.',
  },
  [stateTexts['replica-error']]: {
    text: 'Replication is stopped with an error.',
    hint: 'Read the error of its replication in manager-cli topology; it is not a candidate until it replicates again.',
  },
  [stateTexts['relay-error']]: {
    text: 'Replication is stopped with an error; the replicas below it receive nothing.',
    hint: 'Read the error of its replication in manager-cli topology; it is not a candidate until it replicates again.',
  },
}

/** What the alerts of a cluster are made of. */
export function conditionsOf(view: ConditionsView, triggers: readonly string[]): readonly AlertCondition[] {
  const servers = new Map(view.servers.map((server) => [server.id, server]))
  const ofServers = view.servers.flatMap(({ name, state, quiet }): AlertCondition[] => {
    const row = states[state]
    return row && !quiet
      ? [{ key: `${state}@${name}`, code: state, severity: 'error', server: name, sentence: row.text, ...row }]
      : []
  })
  const ofFindings = view.findings.flatMap((finding): readonly AlertCondition[] => {
    const server = finding.server === undefined ? undefined : servers.get(finding.server)
    return server?.quiet ? [] : conditionOf(finding, triggers, server?.name)
  })
  return [...ofServers, ...ofFindings]
}

/** A finding as a condition; none when the settings do not make it an alert. */
export function conditionOf(
  { code, detail }: Finding,
  triggers: readonly string[],
  server?: string,
): readonly AlertCondition[] {
  const { severity, sentence, hint } = registry[code]
  if (!isTriggered({ code, severity }, triggers)) return []
  return [
    {
      key: server === undefined ? code : `${code}@${server}`,
      text: detail === '' ? sentence : `${sentence} ${detail}`,
      ...{ code, severity, sentence, hint },
      ...(server === undefined ? {} : { server }),
    },
  ]
}
