// Prints the manual's pages of tags and variables from the rules.
import type { Gate } from '../facts/gates.js'
import { databaseRows, proxyVariables } from '../facts/proxy-variables.js'
import { absentNames } from '../facts/variable-names.js'
import { variables } from '../facts/variables.js'
import type { Rule, RuleSet, RuleStatement } from '../rules/rules.js'

/** `dist/doc/tags.md`: every tag with what it sets, and the fragments that always hold. */
export function renderTagsDocument({ rules }: RuleSet): string {
  const byTag = rules.toSorted((left, right) => (left.tag < right.tag ? -1 : 1))
  return [
    '# Tags',
    '',
    'The configuration of a database server is the sum of the fragments below: those that always hold, and one for each tag',
    'in `prov-db-tags`. A higher number is read later and overrides a lower one; `custom.d` is read last.',
    'Printed from `share/rules/database` by the build.',
    ...section(
      'Tags',
      byTag.filter(({ always }) => !always),
    ),
    ...section(
      'Always',
      byTag.filter(({ always }) => always),
    ),
    ...unproven(byTag),
    '',
  ].join('\n')
}

/** `share/doc/proxy-tags.md`: every tag of proxies with what it writes. */
export function renderProxyTags({ rules }: RuleSet): string {
  const byTag = rules.toSorted((left, right) => (left.tag < right.tag ? -1 : 1))
  return [
    '# Tags of proxies',
    '',
    'The files of a proxy are made of the parts below: those that always hold for its kind, and those of each tag in',
    '`prov-proxy-tags` and of each that settings imply. A file is its parts in the order of their numbers.',
    'Printed from `share/rules/proxy` by `npm run docs`; [rules.md](rules.md) describes how to add to them.',
    ...proxySection(
      'Tags',
      byTag.filter(({ always }) => !always),
    ),
    ...proxySection(
      'Always',
      byTag.filter(({ always }) => always),
    ),
    ...unproven(byTag),
    '',
  ].join('\n')
}

const proxySection = (title: string, rules: readonly Rule[]): readonly string[] => [
  ...['', `## ${title}`],
  ...rules.flatMap((rule) => {
    const written = [
      ...rule.parts.map(({ file, at, gates }) => `| ${file} | ${at} | ${gatesText(gates)} |`),
      ...rule.files.map(({ path }) => `| ${path} | whole | |`),
    ]
    const facts = [
      ['category', rule.category],
      ['for', gatesText(rule.gates)],
      ['excludes', rule.excludes.join(', ')],
    ].filter(([, text]) => text !== '')
    return [
      ...['', `### ${rule.tag}`, '', `${rule.doc} [Source](${rule.source})`, ''],
      ...facts.map(([name, text]) => `- ${name}: ${text}`),
      ...(written.length === 0 ? [] : ['', '| file | part | for |', '|---|---|---|', ...written]),
    ]
  }),
]

const section = (title: string, rules: readonly Rule[]): readonly string[] => [
  '',
  `## ${title}`,
  ...rules.flatMap(renderRule),
]

/** What the specs cannot start a server with. */
const unproven = (rules: readonly Rule[]): readonly string[] => {
  const rows = rules.filter((rule) => rule.unproven !== undefined)
  return [
    ...['', '## Proven by their text only', '', 'No available server can be started with these tags.', ''],
    ...['| tag | why |', '|---|---|', ...rows.map((rule) => `| ${rule.tag} | ${rule.unproven ?? ''} |`)],
  ]
}

function renderRule(rule: Rule): readonly string[] {
  const facts = [
    ['category', rule.category],
    ['order', rule.order === 0 ? '' : `${rule.order}`],
    ['for', gatesText(rule.gates)],
    ['package', rule.package ?? ''],
    ['includes', rule.includes.join(', ')],
    ['excludes', rule.excludes.join(', ')],
    ['live', rule.reprov ? 'needs a new data folder' : rule.restart ? 'needs a restart' : statementsText(rule.live)],
    ['taken back', statementsText(rule.back)],
  ].filter(([, text]) => text !== '')
  const options = rule.options.map(({ name, value, gates, loose }) =>
    `| ${loose ? 'loose_' : ''}${name} | ${code(value)} | ${gatesText(gates)} |`.replaceAll('  ', ' '),
  )
  return [
    ...['', `### ${rule.tag}`, '', `${rule.doc} [Source](${rule.source})`, ''],
    ...facts.map(([name, text]) => `- ${name}: ${text}`),
    ...(options.length === 0 ? [] : ['', '| option | value | for |', '|---|---|---|', ...options]),
  ]
}

const code = (value: string | undefined): string =>
  value === undefined ? '' : value === '' ? '(empty)' : `\`${value}\``

const statementsText = (statements: readonly RuleStatement[]): string =>
  statements
    .map(({ sql, gates }) => (gates.length === 0 ? `\`${sql}\`` : `\`${sql}\` (${gatesText(gates)})`))
    .join(', ')

const gatesText = (gates: readonly Gate[]): string =>
  gates
    .map(({ flavour, bounds }) =>
      [flavour, ...bounds.map(({ comparison, version }) => `${comparison}${versionText(version)}`)].join(' '),
    )
    .join(' or ')

const versionText = ({ major, minor, patch }: Gate['bounds'][number]['version']): string =>
  patch === 0 ? `${major}.${minor}` : `${major}.${minor}.${patch}`

/** `dist/doc/variables.md`: every variable that a rule may name. */
export const renderVariablesDocument = (): string =>
  [
    '# Variables of rules',
    '',
    'A rule names a variable as `%%ENV:NAME%%`. An unknown name is a fault when the rules are loaded.',
    'Printed from `lib/configure/variables.ts` and `proxy-variables.ts` by the build.',
    ...['', '## In rules of databases', ''],
    '| variable | meaning | the same for |',
    '|---|---|---|',
    ...Object.entries(variables).map(([name, { meaning, scope }]) => `| ${name} | ${meaning} | ${scopeText[scope]} |`),
    ...['', 'Names without a value, and what is done instead:', '', '| name | instead |', '|---|---|'],
    ...Object.entries(absentNames).map(([name, instead]) => `| ${name} | ${instead} |`),
    ...[
      '',
      '## In rules of proxies',
      '',
      'One without a value fails the archive of its proxy, and the failure names the setting to set.',
      '',
    ],
    ...['| variable | meaning |', '|---|---|', ...meanings(proxyVariables)],
    ...['', 'In parts that are repeated (`each: database`) also:', ''],
    ...['| variable | meaning |', '|---|---|', ...meanings(databaseRows)],
    '',
  ].join('\n')

const meanings = (table: Readonly<Record<string, { readonly meaning: string }>>): readonly string[] =>
  Object.entries(table).map(([name, { meaning }]) => `| ${name} | ${meaning} |`)

const scopeText = {
  resources: 'equal tags and resources',
  place: 'all servers in containers, else one server',
  server: 'one server',
} as const
