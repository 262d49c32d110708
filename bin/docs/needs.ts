// Prints share/doc/needs.md: what hosts and scripts may ask about a server, and the flags behind the answers.
import { takenUpBy } from '../../actors/cluster/services/needs.js'
import { needCookies } from '../../actors/manager/delivery/needs.js'
import { needRoutes } from '../../http/api/rows/server/needs.js'

export const printNeeds = (): string =>
  [
    '# Needs of servers',
    '',
    'Printed from `http/api/rows/server/needs.ts` and `actors/manager/delivery/needs.ts`; `npm run docs` regenerates it.',
    '',
    'A host or script asks whether something is to be done with its server, and acts on the status. The answer is a flag: an',
    'empty file `@cookie_<flag>` in `<monitoring-datadir>/<cluster>/<host>_<port>`, which survives a restart of the manager. Where',
    'a yes is given once, it clears the flag. The configuration is fetched unless its flag is set, which',
    '`prov-db-start-fetch-config` decides.',
    '',
    '| Address | Asks | Flag | Yes | No |',
    '|---|---|---|---|---|',
    ...Object.values(needRoutes).map(printRow),
    '',
    'A need ends when it is settled: provisioning, start, restart and a changed configuration when the server has started after',
    'the flag was set; unprovisioning and stop when it went down after that; a new provisioning when the orchestrator has done',
    'it. These settings raise needs of the servers of their cluster:',
    '',
    '| Setting | Need |',
    '|---|---|',
    ...Object.entries(takenUpBy).map(([name, need]) => `| \`${name}\` | ${needText[need]} |`),
    '',
  ].join('\n')

const needText = {
  restart: 'restart',
  reprov: 'reprov',
  limits: 'restart on hosts, reprov of containers',
} as const

type NeedRoute = (typeof needRoutes)[keyof typeof needRoutes]

function printRow({ paths: [path = ''], summary, reply, failures }: NeedRoute): string {
  const need = path.slice(path.lastIndexOf('/') + 1).replace(/^need-(rolling-)?/, '')
  const [status, text] = failures['check-negative'] ?? []
  return `| \`${path}\` | ${summary} | \`${flagOf(need)}\` | ${reply.status}: \`${reply.text}\` | ${status}: \`${text}\` |`
}

const flagOf = (need: string): string => ({ ...needCookies, 'config-fetch': 'noconfigfetch' })[need] ?? ''
