// `fleet`: every cluster in one line, those in trouble first.
import type { Command } from 'commander'
import {
  countTroubles,
  matches,
  problemOf,
  sortByTrouble,
  type Trouble,
  troubleOf,
  type WireBrief,
} from '../../../http/client/fleet.js'
import type { Session } from '../../../http/client/session.js'
import { counted } from '../../../lib/base/counted.js'
import { call } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { present } from '../kit/present.js'
import { canWatch } from '../kit/watchable.js'
import type { Style } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'
import { renderValue } from '../output/value.js'

interface FleetOptions {
  readonly trouble: boolean
}

export function addFleet(program: Command, { flags, session }: Context): void {
  canWatch(program.command('fleet [words...]'))
    .description('every cluster in one line, those in trouble first; words select those that contain all of them')
    .option('--trouble', 'leave out the healthy ones', false)
    .action(async (words: readonly string[], { trouble }: FleetOptions) => {
      const wanted = (brief: WireBrief): boolean =>
        matches(brief, words.join(' ')) && !(trouble && troubleOf(brief).grade === 'good')
      const read = async () => sortByTrouble((await readFleet(session())).filter(wanted))
      await present(flags(), { read, render: renderFleet, part: renderPart })
    })
}

export const readFleet = async (session: Session): Promise<readonly WireBrief[]> =>
  (await call(session, 'GET /api/fleet')) as readonly WireBrief[]

export const renderFleet = (fleet: readonly WireBrief[]): string =>
  fleet.length === 0 ? 'No cluster.' : `${renderTable(fleetColumns, fleet)}\n\n${fleetText(fleet)}`

/** `200 clusters: 1 down, 199 healthy`. */
export const fleetText = (fleet: readonly WireBrief[]): string =>
  `${counted(fleet.length, 'cluster')}: ${countTroubles(fleet)
    .map(({ word, many = word, count }) => `${count} ${many}`)
    .join(', ')}`

export const troubleStyles: Readonly<Record<Trouble['grade'], Style>> = { bad: 'red', odd: 'yellow', good: 'green' }

const known = (value: unknown): string => (value === undefined || value === null || value === '' ? '-' : String(value))

export const fleetColumns: readonly Column<WireBrief>[] = [
  { title: 'cluster', isKey: true, text: ({ name }) => name },
  {
    title: 'state',
    isKey: true,
    text: (brief) => troubleOf(brief).word,
    style: (brief) => troubleStyles[troubleOf(brief).grade],
  },
  { title: 'up', align: 'right', text: ({ answering, servers }) => `${known(answering)}/${known(servers)}` },
  { title: 'lag', align: 'right', text: ({ lag }) => (typeof lag === 'number' ? `${lag} s` : '-') },
  { title: 'err', align: 'right', text: ({ errors }) => known(errors) },
  { title: 'warn', align: 'right', text: ({ warnings }) => known(warnings) },
  { title: 'primary', isKey: true, text: ({ primary }) => known(primary) },
  { title: 'problem', oneLine: true, text: problemOf },
]

const renderPart = (part: unknown): string =>
  Array.isArray(part) && part.length > 0 && part.every(isBrief) ? renderTable(fleetColumns, part) : renderValue(part)

const isBrief = (entry: unknown): entry is WireBrief =>
  typeof entry === 'object' && entry !== null && 'name' in entry && 'isFailable' in entry
