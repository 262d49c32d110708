// `fleet`: every cluster in one line, those in trouble first.
import type { Command } from 'commander'
import { countStates, type Grade, gradeOf, problemOf, sortByTrouble } from '../../../../http/client/fleet.js'
import type { Session } from '../../../../http/client/session.js'
import { counted } from '../../../../lib/base/counted.js'
import type { FleetRow } from '../../../../lib/model/fleet/row.js'
import { call } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import type { Style } from '../../output/paint.js'
import { type Column, renderTable } from '../../output/table.js'
import { renderValue } from '../../output/value.js'

interface FleetOptions {
  readonly trouble: boolean
}

export function addFleet(program: Command, { flags, session }: Context): void {
  canWatch(program.command('fleet [words...]'))
    .description(
      'every cluster in one line, those in trouble first; words select: shop, state:down, lag>5, tag:prod, and after -- what is left out: -- -state:healthy',
    )
    .option('--trouble', 'leave out the healthy ones', false)
    .action(async (words: readonly string[], { trouble }: FleetOptions) => {
      const filter = [...words, ...(trouble ? ['-state:healthy'] : [])].join(' ')
      const read = async () => sortByTrouble(await readFleet(session(), filter))
      await present(flags(), { read, render: renderFleet, part: renderPart })
    })
}

export const readFleet = (session: Session, filter = ''): Promise<readonly FleetRow[]> =>
  call(session, 'GET /api/fleet', { query: filter === '' ? {} : { filter } })

export const renderFleet = (fleet: readonly FleetRow[]): string =>
  fleet.length === 0 ? 'No cluster.' : `${renderTable(fleetColumns, fleet)}\n\n${fleetText(fleet)}`

/** `200 clusters: 1 down, 199 healthy`. */
export const fleetText = (fleet: readonly FleetRow[]): string =>
  `${counted(fleet.length, 'cluster')}: ${countStates(fleet)
    .map(({ state, count }) => `${count} ${state}`)
    .join(', ')}`

export const gradeStyles: Readonly<Record<Grade, Style>> = { bad: 'red', odd: 'yellow', good: 'green' }

const known = (value: string | number | null): string => (value === null || value === '' ? '-' : String(value))

export const fleetColumns: readonly Column<FleetRow>[] = [
  { title: 'cluster', isKey: true, text: ({ name }) => name },
  { title: 'state', isKey: true, text: ({ state }) => state, style: (row) => gradeStyles[gradeOf(row)] },
  { title: 'up', align: 'right', text: ({ up, of }) => `${up}/${of}` },
  { title: 'lag', align: 'right', text: ({ lag }) => (lag === null ? '-' : `${lag} s`) },
  { title: 'err', align: 'right', text: ({ errors }) => known(errors) },
  { title: 'warn', align: 'right', text: ({ warnings }) => known(warnings) },
  { title: 'primary', isKey: true, text: ({ primary }) => known(primary) },
  { title: 'problem', oneLine: true, text: problemOf },
]

const renderPart = (part: unknown): string =>
  Array.isArray(part) && part.length > 0 && part.every(isRow) ? renderTable(fleetColumns, part) : renderValue(part)

const isRow = (entry: unknown): entry is FleetRow =>
  typeof entry === 'object' && entry !== null && 'name' in entry && 'semi' in entry
