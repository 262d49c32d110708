// Prints share/doc/failures.md: every failure with what the API and the client make of it.
import { wireFailure } from '../../http/api/kit/statuses.js'
import { type FailureCode, failures } from '../../lib/base/failures.js'
import { exitOfCode } from '../cli/output/exit.js'

export const printFailures = (): string =>
  [
    '# Failures',
    '',
    'Printed from `lib/base/failures.ts`; `npm run docs` regenerates it. A code is never given another meaning.',
    '',
    'A client that accepts `application/problem+json` gets the code with these texts and what happened; others get one line of',
    'text. Where api.md gives an address another status, that one holds. The last column is the exit status of `manager-cli`.',
    '',
    '| Code | Meaning | What can be done | HTTP | Exit |',
    '|---|---|---|---|---|',
    ...(Object.keys(failures) as FailureCode[]).map(printRow),
    '',
  ].join('\n')

function printRow(code: FailureCode): string {
  const { sentence, hint } = failures[code]
  const [status] = wireFailure(code)
  return `| \`${code}\` | ${sentence} | ${hint} | ${status} | ${exitOfCode(code)} |`
}
