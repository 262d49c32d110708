// Prints share/doc/changes.md: everything that the manager changes without being asked, and what turns it off.
import { type ChangedPlace, type OwnChange, ownChanges } from '../../lib/model/own-changes.js'

const places: Readonly<Record<ChangedPlace, string>> = {
  databases: 'On databases',
  proxies: 'On proxies',
  hosts: 'On hosts',
  own: 'In the working directory of the manager',
}

export const printChanges = (): string =>
  [
    '# What the manager changes automatically',
    '',
    'Printed from `lib/model/own-changes.ts`; `npm run docs` regenerates it.',
    '',
    'With `monitoring-observe = true` none of it happens, except for the state of the manager itself, and the actions of users are',
    'refused: what the manager would do is reported as findings (WARN0351 to WARN0355). It is the way to begin with existing servers.',
    'A session of the manager sets variables of its own session only. `monitoring-pause = true` leaves actions to users. A failover',
    'in manual mode needs a request; everything else below is done in manual mode too.',
    ...(Object.keys(places) as ChangedPlace[]).flatMap(printPlace),
    '',
  ].join('\n')

const printPlace = (place: ChangedPlace): readonly string[] => [
  '',
  `## ${places[place]}`,
  '',
  '| Change | When | Turned off by |',
  '|---|---|---|',
  ...ownChanges.filter((change) => change.place === place).map(printRow),
]

function printRow({ what, when, off }: OwnChange): string {
  const settings = off.map(([setting, value]) => `\`${setting} = ${value}\``).join(', ')
  return `| ${what} | ${when} | ${settings === '' ? '–' : settings} |`
}
