// The runbook pages of the open findings, as lines below each other. Pure.
import type { WireAlert, WireAlerts } from '../../../http/client/wire.js'
import type { Runbook } from '../../../lib/model/findings/runbook/runbooks.js'
import { type Item, type Section, sectionsOf } from '../../../lib/model/findings/runbook/sections.js'
import { type Line, wrapped } from './lines.js'

/** What the console knows of findings and of their pages; the pages are loaded when they are first asked for. */
export interface RunbookView {
  readonly cluster: string
  readonly alerts?: WireAlerts | undefined
  readonly runbooks?: readonly Runbook[] | undefined
}

/** Errors first; each code once, for the server that is named first. */
export function runbookLines({ cluster, alerts, runbooks }: RunbookView, columns: number): readonly Line[] {
  const open = [...(alerts?.errors ?? []), ...(alerts?.warnings ?? [])]
  if (open.length === 0) return [[{ text: 'No finding is open.', style: 'green' }]]
  if (!runbooks) return [[{ text: 'Loading …', style: 'dim' }]]
  const first = new Map<string, WireAlert>()
  for (const alert of open) if (!first.has(alert.number)) first.set(alert.number, alert)
  return [...first.values()].flatMap(({ number, server }) => {
    const page = runbooks.find(({ name }) => name === number)
    return page
      ? [
          ...wrapped(page.sentence, columns, {
            text: `${number} `,
            style: page.severity === 'error' ? 'red' : 'yellow',
          }),
          ...sectionsOf(page, { cluster, server }).flatMap((section) => sectionLines(section, columns)),
          [],
        ]
      : []
  })
}

const sectionLines = ({ title, form, items }: Section, columns: number): readonly Line[] => [
  [{ text: title, style: 'bold' }],
  ...items.flatMap((item, index) => itemLines(item, columns, form === 'steps' ? `${index + 1}. ` : '- ')),
]

/** Commands are wrapped as well: a screen has no further columns. */
const itemLines = ({ text, blocks }: Item, columns: number, mark: string): readonly Line[] => [
  ...(text === '' ? [] : wrapped(text, columns, { text: mark })),
  ...blocks.flatMap(({ lines }) => lines.flatMap((line) => wrapped(line, columns, { text: '     ', style: 'dim' }))),
]
