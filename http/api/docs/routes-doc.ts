// The reference of the interface for people, printed from the rows.

import type { ListTraits, Reply, Route, RouteGrant } from '../kit/route.js'
import { refusals } from './openapi.js'

/** Text of dist/doc/api.md. */
export function printReference(routes: readonly Route[]): string {
  const sections = [...new Set(routes.map(sectionOf))]
  return [
    '# The interface, address by address',
    '',
    'Printed from the route tables; do not edit. The same as OpenAPI: `openapi.json` beside this file, `/api-docs` in a browser.',
    '',
    'A token of `POST /api/login` goes into `Authorization: Bearer …`. Failures are one line of text; a client that accepts',
    '`application/problem+json` gets code, detail and hint instead. A GET gives the fields of a body in its query.',
    '',
    'Long lists can be had in parts: `limit` and `offset` count entries, `filter` keeps those that hold a text, and a field',
    'named here keeps those whose value it is. `X-Total-Count` is how many the filters keep, `Link` the next part.',
    ...sections.flatMap((section) => [
      '',
      `## ${section}`,
      ...routes.filter((route) => sectionOf(route) === section).flatMap(entry),
    ]),
    '',
  ].join('\n')
}

const sectionOf = ({ id }: Route): string => id.slice(0, id.indexOf('.'))

function entry(route: Route): readonly string[] {
  const [path, ...others] = route.paths
  return [
    '',
    `### ${route.methods.join(', ')} ${path}`,
    '',
    route.summary,
    '',
    ...(others.length === 0 ? [] : [`- Also: ${others.map((other) => `\`${other}\``).join(', ')}`]),
    `- Grant: ${grantText(route.grant)}`,
    `- Answer: ${answerText(route.reply)}`,
    ...(route.reply.list ? [`- In parts: ${partText(route.reply.list)}`] : []),
    ...refusals(route).map(([status, text]) => `- ${status}: ${text}`),
    ...exampleText('Request', route.example?.request),
    ...exampleText('Reply', route.example?.reply),
  ]
}

function grantText(grant: RouteGrant): string {
  if (grant === 'none') return 'none; no token needed'
  if (grant === 'token') return 'any'
  return (typeof grant === 'string' ? [grant] : grant).map((name) => `\`${name}\``).join(' or ')
}

const kinds: Readonly<Record<Reply['type'], string>> = {
  json: 'JSON',
  view: 'JSON with an ETag',
  text: 'text',
  page: 'Markdown or HTML',
  empty: 'empty',
  bytes: 'a file',
  events: 'server-sent events',
  metrics: 'Prometheus text',
}

const answerText = ({ status, type, text }: Reply): string =>
  `${status}, ${kinds[type]}${text === undefined ? '' : `: \`${text}\``}`

const partText = ({ fields = [] }: ListTraits): string =>
  ['limit', 'offset', 'filter', ...fields].map((name) => `\`${name}\``).join(', ')

const exampleText = (title: string, value: unknown): readonly string[] =>
  value === undefined
    ? []
    : [
        '',
        `${title}:`,
        '',
        '```',
        typeof value === 'string' ? value.trimEnd() : JSON.stringify(value, undefined, 2),
        '```',
      ]
