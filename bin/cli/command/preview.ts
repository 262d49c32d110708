// A dry run as a table: the steps in order, their expected durations, and the risks.
import type { Preview, PreviewStep } from '../../../lib/model/operation/preview.js'
import { paint } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'

export function renderPreview({ possible, refusal, steps, risks, expectedBlockedMs }: Preview): string {
  if (!possible) return `${paint('red', 'Refused')}: ${refusal ?? 'no reason given'}`
  return [
    renderTable(
      columns,
      steps.map((step, index) => ({ ...step, place: index + 1 })),
    ),
    '',
    ...(expectedBlockedMs === undefined ? [] : [`Writes are blocked for about ${Math.round(expectedBlockedMs)} ms.`]),
    ...risks.map((risk) => `${paint('yellow', 'Risk')}: ${risk}`),
    'Nothing was changed.',
  ].join('\n')
}

const columns: readonly Column<PreviewStep & { readonly place: number }>[] = [
  { title: '#', align: 'right', text: ({ place }) => String(place) },
  {
    title: 'expected',
    align: 'right',
    text: ({ expectedMs }) => (expectedMs === undefined ? '' : `${Math.round(expectedMs)} ms`),
  },
  { title: 'writes', text: ({ blocksWrites }) => (blocksWrites ? 'blocked' : 'allowed') },
  { title: 'step', text: ({ text }) => text },
]
