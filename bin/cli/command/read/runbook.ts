// `runbook`: what a finding or alert means and what to do; printed without a manager, since it may be the manager that is down.
import { Argument, type Command } from 'commander'
import type { Item, Section } from '../../../../lib/model/findings/runbook/sections.js'
import type { Context } from '../../kit/context.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { paint, widthOf } from '../../output/paint.js'
import { renderTable, wrap } from '../../output/table.js'

/** Longer lines are hard to read. */
const MOST_COLUMNS = 100

export function addRunbook(program: Command, { flags }: Pick<Context, 'flags'>): void {
  program
    .command('runbook')
    .description(
      'what a finding or alert means, its usual causes, how to check it, what to do and what not to do; needs no manager and no login',
    )
    .addArgument(
      new Argument('[code]', 'code of the finding (ERR00012) or name of the alert; without it, a list of all'),
    )
    .addArgument(new Argument('[server]', 'name or host:port that is filled into the commands'))
    .action(async (code: string | undefined, server: string | undefined) => {
      // Loaded when asked for: the texts are large, and no other command needs them.
      const [{ findRunbook, runbooks }, { sectionsOf }] = await Promise.all([
        import('../../../../lib/model/findings/runbook/runbooks.js'),
        import('../../../../lib/model/findings/runbook/sections.js'),
      ])
      if (code === undefined) {
        const list = runbooks.map(({ name, severity = 'alert', sentence }) => ({ name, severity, sentence }))
        return print(await format(flags(), list, renderList))
      }
      const runbook = findRunbook(code)
      if (!runbook) throw new Exit(EXIT.notFound, `${code}: ${UNKNOWN}`)
      const { name, severity = 'alert', sentence } = runbook
      const sections = sectionsOf(runbook, { cluster: flags().cluster, server })
      print(await format(flags(), { name, severity, sentence, sections }, (page) => renderRunbook(page, columns())))
    })
}

const UNKNOWN = 'no finding and no alert has this name; manager-cli runbook lists all'

interface Entry {
  readonly name: string
  readonly severity: string
  readonly sentence: string
}

const columns = (): number => Math.min(widthOf(process.stdout), MOST_COLUMNS)

const renderList = (all: readonly Entry[]): string =>
  renderTable(
    [
      { title: 'name', isKey: true, text: ({ name }: Entry) => name },
      { title: 'severity', text: ({ severity }: Entry) => severity },
      { title: 'meaning', text: ({ sentence }: Entry) => sentence },
    ],
    all,
  )

/** The page for a terminal: sentences are wrapped, commands are not, so that they can be copied. */
export const renderRunbook = (
  { name, severity, sentence, sections }: Entry & { readonly sections: readonly Section[] },
  width: number,
): string =>
  [
    ...wrap(`${name} (${severity}): ${sentence}`, width).map((line) =>
      paint(severity === 'warning' ? 'yellow' : 'red', line),
    ),
    ...sections.flatMap((section) => ['', ...sectionLines(section, width)]),
  ].join('\n')

const sectionLines = ({ title, form, items }: Section, width: number): readonly string[] => [
  paint('bold', title.toUpperCase()),
  ...items.flatMap((item, index) => itemLines(item, { width, mark: marks[form](index) })),
]

const marks: Readonly<Record<Section['form'], (index: number) => string>> = {
  paragraph: () => '',
  points: () => '- ',
  steps: (index) => `${index + 1}. `,
}

function itemLines(
  { text, blocks }: Item,
  { width, mark }: { readonly width: number; readonly mark: string },
): readonly string[] {
  const indent = ' '.repeat(mark.length)
  const sentences = text === '' ? [] : wrap(text, width - mark.length)
  return [
    ...sentences.map((line, index) => (index === 0 ? mark : indent) + line),
    ...blocks.flatMap(({ where, lines }) => [
      ...(where.startsWith('SQL') ? [`${indent}    ${paint('dim', `-- ${where}`)}`] : []),
      ...lines.map((line) => `${indent}    ${line}`),
    ]),
  ]
}
