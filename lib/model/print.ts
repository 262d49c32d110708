// Prints share/doc/findings.md and share/doc/states.md from the registries.
import { type FindingRow, findings } from './findings.js'
import type { StateName, Topology } from './snapshot.js'
import { stateTexts, topologyTexts } from './wire.js'

const froms: Readonly<Record<FindingRow['from'], string>> = {
  MON: 'the monitor itself and its probes',
  TOPO: 'who replicates from whom',
  CHECK: 'whether a failover may happen',
  CONF: 'the configuration',
  PRX: 'proxies',
  CLUSTER: 'the cluster as a whole',
  REJOIN: 'an old primary that returns',
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
    'ones, `C/events` tells when one opens and closes, and `explain` says which rule of the failover one belongs to.',
    '',
    ...table(['Origin', 'About'], Object.entries(froms)),
    '',
    '## Codes',
    '',
    ...table(
      ['Code', 'Severity', 'Origin', 'Meaning', 'What can be done'],
      Object.entries(findings)
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([code, { severity, from, sentence, hint }]) => [code, severity, from, sentence, hint]),
    ),
    '',
  ].join('\n')

const states: Readonly<Record<StateName, string>> = {
  primary: 'It takes the writes.',
  replica: 'It follows a source and keeps up.',
  'replica-error': 'One of its replication threads is stopped.',
  'replica-late': 'It follows, but is later than `failover-max-slave-delay` allows.',
  relay: 'A replica that others follow.',
  'relay-error': 'A relay, one of whose replication threads is stopped.',
  'relay-late': 'A relay that is later than `failover-max-slave-delay` allows.',
  standalone: 'It answers, has no source and no replicas.',
  synced: 'A member of a Galera cluster that has all the others have; writes are sent to another one.',
  donor: 'A member of a Galera cluster that gives another one its data, and lags meanwhile.',
  unsynced: 'A member of a Galera cluster that is being filled, or catches up, or is cut off from the others.',
  suspect: 'It did not answer the latest probes; it is probed ten times a second.',
  failed: 'It did not answer as many probes in a row as `failover-falsepositive-ping-counter` sets.',
  'auth-error': 'It runs, but refuses the login: never a reason to fail over.',
  maintenance: 'It is left out of all decisions on request.',
}

const topologies: Readonly<Record<Topology, string>> = {
  'primary-replica': 'One primary, and replicas that follow it.',
  'multi-tier': 'Some replicas follow a relay.',
  'multi-primary': 'Two servers follow each other; one of them takes the writes.',
  ring: 'Three or more servers follow each other in a circle.',
  galera: 'Servers that certify their transactions together (wsrep).',
  'group-replication': 'Servers of a replication group.',
  'active-passive':
    'One server alone, or servers of which one works while the others wait (`replication-active-passive`).',
  unknown: 'None of these could be made out.',
}

/** Text of share/doc/states.md. */
export const printStates = (): string =>
  [
    '# States and topologies',
    '',
    'Printed from `lib/model/wire.ts`; `npm run docs` regenerates it. The first column is what the interface says.',
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
