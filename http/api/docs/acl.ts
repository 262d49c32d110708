// The ACL matrix, printed from the rows: which grant opens what.
import { grants } from '../../../lib/access/grants.js'
import type { Route, RouteGrant } from '../kit/route.js'

/** Text of share/doc/acl.md. */
export function printAcl(routes: readonly Route[]): string {
  const guarded = routes.filter(({ grant }) => Array.isArray(grant) || !['none', 'token'].includes(String(grant)))
  const opened = grants
    .map((grant) => ({ grant, rows: guarded.filter((route) => wanted(route.grant).includes(grant)) }))
    .filter(({ rows }) => rows.length > 0)
  return [
    '# Access control',
    '',
    'Printed from the route tables; do not edit. A word in `api-credentials-acl-allow` sets every grant whose name begins with it.',
    'Where several grants are named for an address, any one of them opens it.',
    '',
    '## Addresses without a token',
    '',
    ...list(routes.filter(({ grant }) => grant === 'none')),
    '',
    '## Addresses for every user of the cluster',
    '',
    ...list(routes.filter(({ grant }) => grant === 'token')),
    '',
    '## Addresses by grant',
    '',
    '| Grant | Opens |',
    '|---|---|',
    ...opened.map(({ grant, rows }) => `| \`${grant}\` | ${rows.map(cell).join('<br>')} |`),
    '',
    '## Grants that open nothing yet',
    '',
    grants
      .filter((grant) => !opened.some((row) => row.grant === grant))
      .map((grant) => `\`${grant}\``)
      .join(', '),
    '',
  ].join('\n')
}

/** The grants that open a row, as names; none for rows without one. */
const wanted = (grant: RouteGrant): readonly string[] => (typeof grant === 'string' ? [grant] : grant)

const list = (routes: readonly Route[]): readonly string[] =>
  routes.map((route) => `- ${cell(route)}: ${route.summary}`)

const cell = ({ methods, paths: [path] }: Route): string => `\`${methods.join('\\|')} ${path}\``
