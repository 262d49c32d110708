// The section of share/doc/threats.md on the bounds that callers share.
import { DEFAULT_MAILBOX_BOUND } from '../../actors/kernel/outbox.js'
import { TESTS } from '../../actors/manager/alerts/alerts.js'
import { MESSAGES_WAITING } from '../../actors/manager/alerts/outbox.js'
import { ENDED_SHOWN } from '../../actors/manager/alerts/silences.js'
import { ONE_TIME_TOKENS } from '../../actors/manager/configuration/one-time.js'
import { CHANGES_KEPT } from '../../actors/manager/configuration/setting-changes.js'
import { MAILS } from '../../actors/manager/configuration/users.js'
import { MOST_NAMED } from '../../actors/manager/repository/attributions.js'
import { WAITING } from '../../actors/manager/self-service/self-service.js'
import { wireFailure } from '../../http/api/kit/statuses.js'
import { defaultLimits } from '../../http/gateway/kit/options.js'
import { DECRYPTING } from '../../http/gateway/session/sessions.js'
import { MOST_WAITING } from '../../http/gateway/session/turns.js'
import { type FairBound, sharedBounds } from '../../lib/access/bound/index.js'
import type { Bound } from '../../lib/base/allowance.js'
import { MINUTE } from '../../lib/base/time.js'
import { MOST_ACTS } from '../../lib/effect/acts/turns.js'
import { JOBS_KEPT } from '../../lib/model/operation/job.js'
import { REPORTS_WAITING } from '../../lib/notify/alert/gather.js'
import { BOOTSTRAP_TOKENS } from '../../lib/store/manager/bootstrap-tokens.js'
import { SESSIONS, SESSIONS_EACH } from '../../lib/store/manager/browser-sessions.js'

/** The section on the bounds that callers share. */
export const printBounds = (): string =>
  [
    '## Bounds that callers share',
    '',
    'Printed from `lib/access/bound/bounds.ts` and `bin/docs/bounds.ts`; `npm run docs` regenerates it.',
    '',
    'An owner makes users at will: a user is no bound. A thing counts against one cluster, its own; a thing of all clusters against the',
    'one that holds least of those on which the caller holds a grant. No cluster takes more than is left for the others. Users without a',
    'cluster share the part of one. Callers with a `global-*` grant for the whole service count against no cluster, and have the reserve. What has',
    'ended does not count. A refusal names the bound, its number, who has most of it as far as the caller may see that, and what to do.',
    '',
    '| Unit | In all | Reserve | Of one cluster | Of one user in it | Beyond |',
    '|---|---|---|---|---|---|',
    ...Object.values(sharedBounds).map(printShared),
    '',
    '| Unit | Number | Of | Beyond |',
    '|---|---|---|---|',
    ...others.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n')

const printShared = ({ unit, total, reserve, perCluster, perUser, failure }: FairBound): string =>
  `| ${unit} | ${[total, reserve, perCluster, perUser].map(printNumber).join(' | ')} | ${wireFailure(failure)[0]} \`${failure}\` |`

const printNumber = (number: number): string => number.toLocaleString('en')

const often = ({ most, withinMs }: Bound): string => `${most} within ${withinMs / MINUTE} minutes`

type Cells = readonly [unit: string, number: string, of: string, beyond: string]

/** Bounds of another kind: in the part of one cluster anyway, or the oldest makes room. */
const others: readonly Cells[] = [
  ['ended silences that are shown', printNumber(ENDED_SHOWN), 'all', 'the oldest of the cluster with most is dropped'],
  ['sessions of browsers', printNumber(SESSIONS), 'all', 'of the cluster with most, the one unused for longest ends'],
  ['sessions of browsers', printNumber(SESSIONS_EACH), 'a user of a cluster', 'the one unused for longest ends'],
  ['tokens of mails, unused', printNumber(ONE_TIME_TOKENS), 'all', 'the oldest of the cluster with most ends'],
  ['mails with accounts', often(MAILS), 'a cluster', '429 `too-often`'],
  ['tests of alerts', often(TESTS), 'a cluster', '429 `too-often`'],
  [
    'reports for a receiver, waiting',
    printNumber(REPORTS_WAITING),
    'a receiver',
    'the oldest of the cluster with most is dropped',
  ],
  [
    'messages of alerts, waiting',
    printNumber(MESSAGES_WAITING),
    'all',
    'the oldest for the receiver with most is dropped',
  ],
  ['changes of settings to undo', printNumber(CHANGES_KEPT), 'all', 'the oldest of the cluster with most is forgotten'],
  ['changes that one commit names', printNumber(MOST_NAMED), 'all', 'the oldest is not named'],
  ['requests that wait for its actor', printNumber(DEFAULT_MAILBOX_BOUND), 'a cluster', '503 `mailbox-full`'],
  ['actions on servers at once', printNumber(MOST_ACTS), 'a cluster', 'they wait 10 s, then 504 `deadline-passed`'],
  ['jobs that are kept', printNumber(JOBS_KEPT), 'a cluster', 'the oldest that has ended is dropped'],
  ['bootstrap tokens, unused', printNumber(BOOTSTRAP_TOKENS), 'a server', '409 `wrong-state`'],
  [
    'logins after failed ones, waiting',
    printNumber(MOST_WAITING),
    'all; not for users known at their address',
    'one of the longest line, by chance: 429 `login-queue-full`',
  ],
  ['tokens of logins that are checked first, waiting', printNumber(DECRYPTING.waiting), 'all', '503 `mailbox-full`'],
  ['creations that wait for the gate script', printNumber(WAITING), 'all identities', '403 `self-service-refused`'],
  [
    'connections',
    printNumber(defaultLimits.connections),
    'a port',
    'the oldest without a request is closed, else the new one',
  ],
  ['bytes of a body', printNumber(defaultLimits.bodyBytes), 'a request', '413 `too-large`'],
]
