// Prints share/doc/findings.md and share/doc/states.md from the registries.
import { explainedOnly } from './explained.js'
import { reservedFindings, reservedFor } from './findings/reserved.js'
import { type FindingCode, type FindingRow, findings } from './findings.js'
import type { StateName, Topology } from './snapshot.js'
import { stateTexts, topologyTexts } from './wire.js'

const froms: Readonly<Record<FindingRow['from'], string>> = {
  MON: 'the manager itself and its probes',
  TOPO: 'the replication topology',
  CHECK: 'the conditions of a failover',
  CONF: 'the configuration',
  PRX: 'proxies',
  CLUSTER: 'the cluster as a whole',
  REJOIN: 'the return of an old primary',
  PROV: 'provisioning and files',
  SRV: 'one server',
}

/** Text of share/doc/findings.md. */
export const printFindings = (): string =>
  [
    '# Findings',
    '',
    'Printed from `lib/model/findings.ts`; `npm run docs` regenerates it. A code is never given another meaning.',
    '',
    'An *error* blocks the automatic failover while it is open; a *warning* does not. `GET C/topology/alerts` lists the open',
    'ones, `C/events` reports when one opens and closes, and `explain` names the failover rule that one belongs to.',
    '`manager-cli runbook <code>`, or `/api/runbooks/<code>` of the manager without a login, has the runbook of each: causes, checks, commands.',
    '',
    ...table(['Origin', 'About'], Object.entries(froms)),
    '',
    '## Codes',
    '',
    ...findingRows((code) => !explainedOnly.includes(code)),
    '',
    '## Reported by `explain` only',
    '',
    'These never open as an alert: they say why a failover or a server is excluded, where its state or the settings show that already.',
    '',
    ...findingRows((code) => explainedOnly.includes(code)),
    '',
    '## Reserved codes',
    '',
    'Nothing raises these. They are kept for the capability named, and have no other meaning until then.',
    '',
    ...table(
      ['Code', 'Would mean', 'Reserved for'],
      Object.entries(reservedFindings).map(([code, meaning]) => [code, meaning, reservedFor(code) ?? '']),
    ),
    '',
  ].join('\n')

const findingRows = (isMeant: (code: FindingCode) => boolean): readonly string[] =>
  table(
    ['Code', 'Severity', 'Origin', 'Meaning', 'What can be done'],
    Object.entries(findings)
      .filter(([code]) => isMeant(code as FindingCode))
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([code, { severity, from, sentence, hint }]) => [code, severity, from, sentence, hint]),
  )

const states: Readonly<Record<StateName, string>> = {
  primary: 'Accepts writes.',
  replica: 'Replicates from a source without excessive delay.',
  'replica-error': 'A replica with a stopped replication thread, or one that cannot reach its source.',
  'replica-late': 'A replica whose delay exceeds `failover-max-slave-delay`.',
  relay: 'An intermediate replica: a replica with replicas.',
  'relay-error': 'An intermediate replica with a stopped replication thread, or one that cannot reach its source.',
  'relay-late': 'An intermediate replica whose delay exceeds `failover-max-slave-delay`.',
  standalone: 'Answers, and has neither a source nor replicas.',
  synced: 'A synced member of a Galera cluster; writes are sent to another member.',
  donor: 'A member of a Galera cluster that sends a state transfer to another one, and lags meanwhile.',
  unsynced:
    'A member of a Galera cluster that receives a state transfer, catches up, or is partitioned from the others.',
  suspect: 'Did not answer the latest probes; it is probed ten times a second.',
  failed: 'Did not answer `failover-falsepositive-ping-counter` consecutive probes.',
  'auth-error': 'Runs, but refuses the login: never a reason for a failover.',
  maintenance: 'Excluded from all decisions on request.',
}

const topologies: Readonly<Record<Topology, string>> = {
  'primary-replica': 'One primary and its replicas.',
  'multi-tier': 'Some replicas replicate from an intermediate replica.',
  'multi-primary': 'Two servers replicate from each other; one of them accepts writes.',
  ring: 'Three or more servers replicate in a ring.',
  galera: 'Members of a Galera cluster (wsrep).',
  'group-replication': 'Members of a replication group.',
  'active-passive': 'One server alone, or one active server with passive ones (`replication-active-passive`).',
  unknown: 'Not determined.',
}

/** Text of share/doc/states.md. */
export const printStates = (): string =>
  [
    '# States and topologies',
    '',
    'Printed from `lib/model/wire.ts`; `npm run docs` regenerates it. The first column is the value in the API.',
    '',
    '## States of a server',
    '',
    ...table(['State', 'Inside', 'Meaning'], rowsOf(stateTexts, states)),
    '',
    '## Topologies of a cluster',
    '',
    ...table(['Topology', 'Inside', 'Meaning'], rowsOf(topologyTexts, topologies)),
    '',
  ].join('\n')

const rowsOf = <K extends string>(
  texts: Readonly<Record<K, string>>,
  meanings: Readonly<Record<K, string>>,
): readonly (readonly string[])[] =>
  (Object.entries(texts) as [K, string][]).map(([name, text]) => [`\`${text}\``, name, meanings[name]])

const table = (titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`)

const escapeCell = (text: string): string => text.replaceAll('|', '\\|')
