// Prints share/doc/failures.md: every failure with its HTTP status and exit status.
import { wireFailure } from '../../http/api/kit/statuses.js'
import { type FailureCode, failures, hintOf } from '../../lib/base/failures.js'
import { exitOfCode } from '../cli/output/exit.js'

export const printFailures = (): string =>
  [
    '# Failures',
    '',
    'Printed from `lib/base/failures.ts`; `npm run docs` regenerates it. The meaning of a code never changes.',
    '',
    'A client that accepts `application/problem+json` receives the code with these texts and the details; others receive one line',
    'of text. A status that api.md lists for a path takes precedence. The last columns are what `manager-cli` says instead, where it',
    'has words of its own, and its exit status.',
    '',
    '| Code | Meaning | What can be done | HTTP | With manager-cli | Exit |',
    '|---|---|---|---|---|---|',
    ...(Object.keys(failures) as FailureCode[]).map(printRow),
    '',
  ].join('\n')

function printRow(code: FailureCode): string {
  const [hint, own] = [hintOf(code, 'api'), hintOf(code, 'cli')]
  const [status] = wireFailure(code)
  return `| \`${code}\` | ${failures[code].sentence} | ${hint} | ${status} | ${own === hint ? '' : own} | ${exitOfCode(code)} |`
}
