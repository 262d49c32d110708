// Prints share/doc/screens.md: what the client shows on a terminal of 80 columns, of a fleet that is always the same.
import { sortByTrouble } from '../../http/client/fleet.js'
import { renderAlerts } from '../cli/answer/alerts.js'
import { renderHost } from '../cli/answer/host.js'
import { renderJobs } from '../cli/answer/jobs.js'
import { renderPreview } from '../cli/command/operate/preview.js'
import { renderExplanation } from '../cli/command/read/explain.js'
import { renderFleet } from '../cli/command/read/fleet.js'
import { renderTopology, renderTree } from '../cli/command/read/topology.js'
import { emptyFleet } from '../cli/console/fleet-page.js'
import { renderScreen } from '../cli/console/screen.js'
import { type ConsoleState, startState } from '../cli/console/state.js'
import { atWidth } from '../cli/output/paint.js'
import { alerts, fleet, host, jobs, peace, plan, topology } from './canned-fleet.js'

const COLUMNS = 80
const ROWS = 16

export const printScreens = (): string =>
  [
    '# Screens',
    '',
    'Printed from `bin/docs/canned-fleet.ts` by the code of the client; `npm run docs` regenerates it. A terminal of 80 columns, without colours.',
    '',
    ...captures.flatMap(([title, text, render]) => [
      ...[`## ${title}`, '', text, '', '```', atWidth(COLUMNS, render).replace(/ +$/gm, '').trimEnd(), '```', ''],
    ]),
  ].join('\n')

const state: ConsoleState = {
  ...startState(['billing', 'shop'], 'billing'),
  ...{ topology, alerts, verdict: peace },
  fleet: { ...emptyFleet, rows: fleet },
}

const screenOf = (shown: Partial<ConsoleState>) => (): string =>
  renderScreen({ ...state, ...shown }, { columns: COLUMNS, rows: ROWS })
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n')

/** Title, what to know about it, and what is shown. */
const captures: readonly (readonly [title: string, text: string, render: () => string])[] = [
  [
    '`manager-cli fleet`',
    'Those in trouble come first; words select, `--trouble` leaves out the healthy ones.',
    () => renderFleet(sortByTrouble(fleet)),
  ],
  ['`manager-cli --cluster billing topology`', 'Who is the primary, who follows.', () => renderTopology(topology)],
  ['`… topology --tree`', 'Each server below its source.', () => renderTree(topology)],
  [
    '`… explain`',
    'In peace: the primary is healthy, and what its death would lead to.',
    () => renderExplanation(peace),
  ],
  ['`… cluster alerts`', 'Errors first, each with what to do.', () => renderAlerts(alerts)],
  ['`… switchover --plan`', 'Changes nothing.', () => renderPreview(plan)],
  ['`… job list`', 'The oldest first.', () => renderJobs(jobs)],
  ['`manager-cli global metrics`', 'The host of the manager.', () => renderHost(host)],
  [
    '`manager-cli console`: all clusters',
    'Arrows select, `/` searches, Enter opens; `c` comes back here.',
    screenOf({ page: 'fleet' }),
  ],
  [
    '`manager-cli console`: a cluster',
    'Arrows select a server, Enter shows its page; each key that changes something asks first.',
    screenOf({ view: 'findings' }),
  ],
  ['`manager-cli console`: a server', 'Enter on a selected server.', screenOf({ view: 'server', selected: 2 })],
]
