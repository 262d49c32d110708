// Prints share/doc/import.md: every name of another tool's configuration, and what becomes of it.
import { tools } from '../import/command.js'
import type { ForeignRow } from '../import/foreign.js'

export const printImports = (): string =>
  [
    '# Names of other tools',
    '',
    'Printed from `bin/import`; `npm run docs` regenerates it.',
    '',
    'What `manager import` does with each name of a configuration of another tool. How to move over: [migration](running/migration.md).',
    'A name with `*` is every name that begins so. A name that is not listed is reported as not taken over.',
    ...Object.entries(tools).flatMap(([word, { title, rows }]) => [
      '',
      `## ${title} (\`--from ${word}\`)`,
      '',
      '| Name | Section | Becomes, or use instead | Taken over | Remark |',
      '|---|---|---|---|---|',
      ...rows.map(line),
    ]),
    '',
  ].join('\n')

const line = (row: ForeignRow): string => {
  const fate = row.convert ? 'yes' : row.ignored ? 'not needed' : 'no'
  const ours = row.ours.map((name) => `\`${name}\``).join(', ')
  return `| \`${row.name}\` | ${row.in.filter((each) => each !== '').join(', ') || '–'} | ${ours || '–'} | ${fate} | ${row.remark || '–'} |`
}
