// Prints share/doc/needs.md: pending actions of servers for hosts and scripts, and the flags behind them.
import { takenUpBy } from '../../actors/cluster/services/needs.js'
import { needCookies } from '../../actors/manager/delivery/needs.js'
import { needRoutes } from '../../http/api/rows/server/needs.js'

export const printNeeds = (): string =>
  [
    '# Needs of servers',
    '',
    'Printed from `http/api/rows/server/needs.ts` and `actors/manager/delivery/needs.ts`; `npm run docs` regenerates it.',
    '',
    'A host or script asks whether an action is pending for its server, and acts on the HTTP status. The answer is a flag: an',
    'empty file `@cookie_<flag>` in `<monitoring-datadir>/<cluster>/<host>_<port>`, which survives a restart of the manager. If',
    'yes is answered only once, the answer clears the flag. The configuration is fetched unless its flag is set',
    '(`prov-db-start-fetch-config`).',
    '',
    '| Path | Question | Flag | Yes | No |',
    '|---|---|---|---|---|',
    ...Object.values(needRoutes).map(printRow),
    '',
    'A need ends when its action is done: provision, start, restart and changed configuration when the server has started after',
    'the flag was set; unprovision and stop when it went down after that; reprovision when the orchestrator has completed it.',
    '',
    'An action on such a server (provision, start, restart, apply) is accepted where its host has asked within the last 15 minutes;',
    "the result of its job is `left to the host`. A question counts as the host's own when it comes from an address of the host of",
    'the server, without a login (an API token is permitted). Not counted: a person who has logged in, another machine,',
    '`need-config-fetch`, and the questions for a whole cluster. Where hosts are behind an address translation, state their networks',
    'in `api-config-download-addresses`: a question from these counts, too.',
    '',
    'These settings raise needs of the servers of their cluster:',
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
