// A runbook page as Markdown, and all of them as one document.
import type { Names } from './fill.js'
import { type Runbook, runbooks } from './runbooks.js'
import { type Item, type Section, sectionsOf } from './sections.js'

const languages: Readonly<Record<string, string>> = { shell: 'sh', 'client of the manager': 'sh' }

/** `level` is that of its title. */
export function renderMarkdown(runbook: Runbook, names: Names = {}, level = 1): string {
  const { name, sentence, severity } = runbook
  return [
    `${'#'.repeat(level)} ${name}`,
    '',
    `${severity === undefined ? 'Alert' : capital(severity)}: ${sentence}`,
    ...sectionsOf(runbook, names).flatMap((section) => ['', ...sectionLines(section, level + 1)]),
    '',
  ].join('\n')
}

const sectionLines = ({ title, form, items }: Section, level: number): readonly string[] => [
  `${'#'.repeat(level)} ${title}`,
  '',
  ...items.flatMap((item, index) =>
    itemLines(item, form === 'paragraph' ? '' : form === 'points' ? '- ' : `${index + 1}. `),
  ),
]

/** Blocks are indented to belong to their item. */
function itemLines({ text, blocks }: Item, mark: string): readonly string[] {
  const indent = ' '.repeat(mark.length)
  return [
    mark + escapeText(text),
    ...blocks.flatMap(({ where, lines }) =>
      [
        '',
        `\`\`\`${languages[where] ?? 'sql'}`,
        ...(where.startsWith('SQL,') ? [`-- ${where.slice(5)}`] : []),
        ...lines,
        '```',
      ].map((line) => (line === '' ? '' : indent + line)),
    ),
  ]
}

/** Angle brackets outside of commands would be taken for HTML. */
const escapeText = (text: string): string => text.replaceAll('<', '\\<')

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** The list of all pages, with addresses relative to its own. */
export const renderIndexMarkdown = (): string =>
  ['# Runbooks', '', ...runbooks.map(({ name, sentence }) => `- [${name}](runbooks/${name}): ${sentence}`), ''].join(
    '\n',
  )

/** Text of dist/doc/runbooks.md. */
export const printRunbooks = (): string =>
  [
    '# Runbooks',
    '',
    'Printed from `lib/model/findings/runbook`; `npm run build` makes it. One page for each finding and alert: what it means, its',
    'usual causes, how to check it, what to do, and what not to do. The manager serves each at `/api/runbooks/<code>` without a',
    'login; `manager-cli runbook <code>` prints it, also while the manager is down.',
    '',
    'In commands, `<server>`, `<primary>` and other names in angle brackets are to be replaced. With more than one cluster, give',
    '`--cluster <name>` or set `MANAGER_CLUSTER_NAME`.',
    '',
    ...runbooks.map((runbook) => `- [${runbook.name}](#${runbook.name.toLowerCase()}): ${runbook.sentence}`),
    '',
    ...runbooks.map((runbook) => renderMarkdown(runbook, {}, 2)),
  ].join('\n')
