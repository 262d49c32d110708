// Prints share/doc/inert-fields.md: the fields of answers that are always the same, since the manager does not do what they are about.
import { atRestInMonitor } from '../rows/monitor/monitor.js'
import { atRestInClusters } from '../views/cluster/cluster-rest.js'
import { atRestInProxies } from '../views/server/proxy.js'
import { atRestInServers } from '../views/server/server-rest.js'

/** By object: each field with its only value. */
export const inertFields: Readonly<Record<string, object>> = {
  'The manager (`GET /api/monitor`)': atRestInMonitor,
  'A cluster (`C`, entries of `/api/clusters`)': atRestInClusters,
  'A server (`C/topology/servers`, `slaves`, `master`)': atRestInServers,
  'A proxy (`C/topology/proxies`)': atRestInProxies,
}

/** Where to look for what the name of a field promises. */
const instead: Readonly<Record<string, string>> = {
  isReseeding: '`C/rolling`',
}

export const printInertFields = (): string =>
  [
    '# Fields that are always the same',
    '',
    'Printed from `http/api/docs/inert-fields.ts`; `npm run docs` regenerates it. Existing clients decode these fields, so they are in the',
    'answers. The manager does not do what they are about: they are no statement about a cluster. Within other fields the same holds of',
    '`stateMachine.inSchemaMonitor` (false), `workLoad.cpuUserStats` (0), `dbVersion.dist` (null), `dbVersion.path` and',
    '`replications[].postgresExternalId` (empty).',
    ...Object.entries(inertFields).flatMap(([object, fields]) => [
      '',
      `## ${object}`,
      '',
      '| Field | Always | Instead |',
      '|---|---|---|',
      ...Object.entries(fields).map(
        ([name, value]) => `| \`${name}\` | \`${JSON.stringify(value)}\` | ${instead[name] ?? ''} |`,
      ),
    ]),
    '',
  ].join('\n')
