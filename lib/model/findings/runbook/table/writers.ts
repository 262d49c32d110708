// Pages of findings about which server accepts writes.
import type { FindingCode } from '../../../findings.js'
import { cli, type Page, sql } from '../kit/page.js'
import { compareSets, overview } from '../kit/steps.js'

export const writerPages = {
  ERR00063: {
    means:
      'More than one server accepts writes. If clients reach both, their data diverge with each write; that cannot be merged afterwards.',
    causes: [
      'An old primary returned before the manager could close it, or while the manager was stopped or paused.',
      'A person set read_only=OFF, or an option file opens the server at its start.',
      'A server that was never part of the cluster was added; the manager leaves it as it is.',
    ],
    check: [
      ...overview,
      'On each writable server, what it wrote last and who is connected:',
      ...compareSets.slice(1),
      sql('SHOW FULL PROCESSLIST'),
    ],
    act: [
      'Close the one that is not the primary, at once:',
      sql('SET GLOBAL read_only = ON'),
      'If the manager cannot determine the primary, keep the one that clients and proxies write to, and close the others. It is recognised with the next probe.',
      'Then see WARN0186 or WARN0091 for what the closed server wrote alone.',
    ],
    avoid: [
      'Do not restart both.',
      'Do not let the closed server replicate before its own transactions are saved and compared.',
    ],
  },
  WARN0003: {
    means:
      'In a multi-primary cluster only one server is to accept writes, and more than one does. Concurrent writes can conflict and stop replication.',
    causes: [
      'A server started with read_only=OFF.',
      'A person opened the second server.',
      'The manager is paused or observes only.',
    ],
    check: [...overview, sql('SELECT @@global.read_only'), cli('setting list')],
    act: [
      'The manager closes all but one. If it is paused, close the one that the proxies do not use:',
      sql('SET GLOBAL read_only = ON'),
      'Name the one that shall take the writes:',
      cli('server set-preferred <server>'),
    ],
    avoid: ['Do not write to both sides to balance load.'],
  },
  WARN0004: {
    means:
      'The members answer, and none of them accepts writes: clients get error 1290. The manager does not open one, since nothing says which one.',
    causes: [
      'All servers start with read_only=ON, and no preferred one is configured.',
      'A person closed the writable one.',
    ],
    check: [...overview, sql('SELECT @@global.read_only')],
    act: [
      'Name the one that shall take the writes; the manager opens it:',
      cli('server set-preferred <server>'),
      'Or open it by hand:',
      sql('SET GLOBAL read_only = OFF'),
    ],
    avoid: ['Do not open more than one.', 'Do not open one that is behind: compare gtid_current_pos first.'],
  },
  WARN0006: {
    means:
      'Both servers of a multi-primary cluster are alike, and the settings do not name the one that takes the writes. The manager does not choose.',
    causes: ['db-servers-prefered-master is empty or names no member.'],
    check: [...overview, cli('setting list')],
    act: ['Name it:', cli('server set-preferred <server>')],
    avoid: ['Do not name the one that clients do not write to: the role moves there.'],
  },
  WARN0232: {
    means:
      'The primary refuses writes: clients get error 1290. The manager opens it, unless a person closed it (the detail says so).',
    causes: [
      'A person or a script set read_only=ON, for example for a backup.',
      'The option file sets read_only and the server restarted while the manager was stopped.',
      'The manager is paused or observes only.',
    ],
    check: [
      sql('SELECT @@global.read_only'),
      'What the manager did last, and whether another server holds transactions that the primary is missing (ERR00117):',
      cli('cluster logs --limit 50'),
      cli('cluster alerts'),
    ],
    act: [
      'If nobody needs it closed, and ERR00117 is not open:',
      cli('server set-read-only <server> off --plan'),
      cli('server set-read-only <server> off'),
    ],
    avoid: ['Do not open it while ERR00117 is open: writes would be acknowledged on an incomplete history.'],
  },
  WARN0235: {
    means:
      'A replica accepts writes. What is written there exists on no other server, and blocks its election as errant transactions (WARN0091).',
    causes: [
      'db-servers-ignored-readonly lists it, or failover-readonly-state or force-slave-readonly is off.',
      'A person opened it.',
      'Its option file opens it at the start and the manager is paused.',
    ],
    check: [sql('SELECT @@global.read_only'), 'Who is connected to it:', cli('server processlist <server>')],
    act: [
      sql('SET GLOBAL read_only = ON'),
      'If it is intended, list it in db-servers-ignored-readonly:',
      cli('setting set db-servers-ignored-readonly <server>'),
    ],
    avoid: ['Do not ignore it for a server that may be promoted.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
