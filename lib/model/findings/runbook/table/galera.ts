// Pages of findings about Galera clusters.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, type Page, type Step, shell } from '../kit/page.js'
import { errorLog, overview } from '../kit/steps.js'

const members: readonly Step[] = [
  'On each member, its state and the component it is in:',
  mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_status'"),
  mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_cluster_size'"),
  mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_local_state_comment'"),
  mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_last_committed'"),
]

export const galeraPages = {
  ERR00123: {
    means:
      'Members answer and none accepts statements: they are non-Primary, without the majority. Clients get error 1047. The data are complete on the most advanced member.',
    causes: [
      'More than half of the members failed or were isolated at once.',
      'A two-member cluster lost one member.',
      'All members were restarted, and none was bootstrapped.',
    ],
    check: [
      ...overview,
      ...members,
      'On the host of a member that is stopped, its last position:',
      shell('cat /var/lib/mysql/grastate.dat'),
    ],
    act: [
      'If the missing members can be started or reached, restore them: the majority forms again without further action.',
      cli('server start <server>'),
      'If most of them are permanently lost, bootstrap the member with the highest wsrep_last_committed, and only that one:',
      mariadb("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=YES'"),
      'Then start the others; they join it.',
    ],
    avoid: [
      'Do not bootstrap more than one member: that makes two clusters (ERR00083).',
      'Do not bootstrap while the other side may be running.',
    ],
  },
  WARN0241: {
    means:
      'The member sends its data to another one (state transfer) and lags meanwhile. It is not read from; it becomes synced again without further action.',
    causes: ['A member joins or was away for longer than the cache of the others reaches.'],
    check: [...members, ...errorLog],
    act: ['Wait until the transfer has ended:', cli('wait --for no-findings=WARN0241 --timeout 2h')],
    avoid: ['Do not restart the donor or the joining member: the transfer begins again.'],
  },
  WARN0242: {
    means:
      'The member is not synced: it receives a state transfer, catches up, or is isolated from the majority (non-Primary). It takes no traffic.',
    causes: ['It has just started.', 'It is slow and sends flow control.', 'Its network to the others is interrupted.'],
    check: [...members, mariadb("SHOW GLOBAL STATUS LIKE 'wsrep_flow_control%'"), ...errorLog],
    act: [
      'If it is joining, wait. If it stays non-Primary while others are Primary, restore its network (ports 4567, 4568, 4444), or restart it:',
      cli('server restart <server>'),
    ],
    avoid: ['Do not bootstrap it while other members are Primary.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
