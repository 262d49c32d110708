// Prints share/doc/log.md: every line of the log besides the events of clusters.
import { type LogCode, logCodes } from '../../lib/base/log-codes.js'

export const printLogCodes = (): string =>
  [
    '# Log',
    '',
    'Printed from `lib/base/log-codes.ts`; `npm run docs` regenerates it. The meaning of a code never changes.',
    '',
    'Each line has a time, a level, a code and fields: readable on a terminal, JSON otherwise (`msg` is the code). A change that was refused has the',
    'level `warn` and the field `refused`. Lines with `cluster` and a sentence instead of a code are events of a cluster: findings that open and close',
    '([findings.md](findings.md)), operations and their steps. Lines marked in the last column are in `security.log` of the working directory, too, and',
    'counted by `manager_security_events_total`. `log-level`, `log-file`, `log-file-level` and `log-syslog` say where lines go.',
    '',
    '| Code | Meaning | What can be done | Audit |',
    '|---|---|---|---|',
    ...(Object.keys(logCodes) as LogCode[]).toSorted().map(printRow),
    '',
  ].join('\n')

function printRow(code: LogCode): string {
  const { sentence, hint = '', audit } = logCodes[code]
  return `| \`${code}\` | ${sentence} | ${hint} | ${audit ? 'yes' : ''} |`
}
