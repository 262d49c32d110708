// The cluster file that an import writes, and the report about it.
import { counted } from '../../lib/base/counted.js'
import { type SettingName, settingNames } from '../../lib/settings/index.js'
import { type Column, renderTable } from '../cli/output/table.js'
import { tame } from '../cli/output/text-width.js'
import { type Assembled, type Fate, type Given, isSecretSetting, type Line } from './assemble.js'

/** With `isMasked` no secret is in it: for a terminal. */
export function renderCluster({ name, settings, lines }: Assembled, isMasked = false): string {
  const known = settingNames.filter((each) => settings.has(each) && each !== 'monitoring-observe')
  const open = lines.filter(({ fate }) => fate === 'no counterpart' || fate === 'to be added')
  return [
    '# Written by manager import. Nothing is changed on the servers while monitoring-observe is true.',
    `[${/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name)}]`,
    'monitoring-observe = true',
    ...known.flatMap((each) => ['', ...settingLines(each, settings.get(each), isMasked)]),
    ...(open.length === 0 ? [] : ['', '# Not taken over; what to do:']),
    ...open.map(({ place, name: there, ours, remark }) =>
      tame(
        `# - ${[place, there].filter((each) => each !== '').join(' ')}${place === '' ? '' : ': '}${[ours, remark].filter((each) => each !== '').join(': ')}`,
      ),
    ),
    '',
  ].join('\n')
}

function settingLines(name: SettingName, given: Given | undefined, isMasked: boolean): readonly string[] {
  if (given === undefined) return []
  const origin = tame(`# ${given.from.join(', ')}`)
  if (isMasked && isSecretSetting(name)) return [origin, `# ${name}: not printed on a terminal; --output DIR writes it`]
  return [origin, `${name} = ${JSON.stringify(given.value)}`]
}

const columns: readonly Column<Line>[] = [
  { title: 'There', isKey: true, text: ({ name }) => name || '–' },
  { title: 'Place', isKey: true, keepsEnd: true, text: ({ place }) => place || '–' },
  { title: 'Ours', isKey: true, text: ({ ours }) => ours || '–' },
  { title: 'Remark', text: ({ remark }) => remark },
]

const titles: readonly (readonly [Fate, string])[] = [
  ['taken over', 'Taken over'],
  ['no counterpart', 'Not taken over: what to use instead'],
  ['to be added', 'To be added by hand'],
  ['ignored', 'Ignored, because it makes no difference here'],
]

/** A table for each fate; no value is in it. */
export function renderImport(title: string, lines: readonly Line[], width: number): string {
  const tables = titles.flatMap(([fate, heading]) => {
    const rows = lines.filter((line) => line.fate === fate)
    return rows.length === 0 ? [] : [`${heading} (${rows.length})\n${renderTable(columns, rows, width)}`]
  })
  return `${title}: ${counted(lines.length, 'value')}\n\n${tables.join('\n\n')}\n`
}
