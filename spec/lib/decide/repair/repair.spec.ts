// What is set right in a quiet cluster, and what is closed at once in any.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { planRepair, urgentFences } from '../../../../lib/decide/repair/repair.js'
import { namedOf } from '../../../../lib/model/server/named.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { slowReading } from '../../../support/http/view-input.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  channel,
  crash,
  NOW,
  primary,
  refused,
  replica,
  running,
  type SituationDraft,
  server,
  silent,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const commandsOf = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
  planRepair(situation(servers, draft))?.commands.map((command) =>
    'server' in command ? `${command.type} ${command.server}` : command.type,
  )
const closed = (draft = {}) => primary(1, { readOnly: true }, { writableAt: NOW - 60 * SECOND, ...draft })
const other = server(3, { state: stateOf(3, { readOnly: false, executed: '0-1-1,0-3-1' }) })
const stranger = server(3, { state: stateOf(3, { readOnly: false, executed: '0-3-1' }) })
const blank = server(3, { state: stateOf(3, { readOnly: false, executed: '' }) })
const namesake = server(3, { state: { ...stateOf(1, { readOnly: false, executed: '0-1-1' }) } })

const mistaken = {
  io: 'stopped',
  ioError: {
    code: 1593,
    message: 'Fatal error: … master and slave have equal MariaDB server ids; these ids must be different',
  },
} as const
/** As sql_select_limit=0 on its source leaves a receiver of MariaDB. */
const halted = {
  io: 'stopped',
  ioError: { code: 1593, message: 'a fatal error is encountered when it tried to SELECT @master_binlog_checksum' },
} as const
/** As max_join_size=1 leaves it: the number is that of the answer. */
const answeredBadly = {
  io: 'stopped',
  ioError: {
    code: 1104,
    message:
      'The slave I/O thread stops because a fatal error is encountered when it try to get the value of SERVER_ID variable from master.',
  },
} as const
const cutting = { slow: slowReading('db1', { variables: namedOf([['sql_select_limit', '0']]) }) }
const refusedChannel = channel({ source: 2, io: 'stopped', ioError: { code: 1236, message: 'not in the binary log' } })

const events = [{ schema: 'app', name: 'tick', definer: 'root@%', privileged: true as const }]
const withEvents = (names: readonly string[]) => {
  const grants = { own: { account: 'm@h', names }, replication: { account: '', names: [] } }
  return replica(2, { state: { eventScheduler: true }, server: { slow: slowReading('db2', { events, grants }) } })
}
const gaveUp = { memory: { primary: 'db1', history: [crash({ oldPrimary: 'db2', newPrimary: 'db1' })] } }

describe('planRepair', () => {
  it('switches the scheduler of a former primary off while it runs events that write through read-only', () => {
    expect(commandsOf([primary(), withEvents(['SUPER'])], gaveUp)).to.deep.equal(['set-events db2'])
    // Events of a server that never was the primary are its own; what the account may not do is a finding.
    expect(commandsOf([primary(), withEvents(['SUPER'])])).to.equal(undefined)
    expect(commandsOf([primary(), withEvents(['PROCESS'])], gaveUp)).to.equal(undefined)
    const woken = primary(2, { eventScheduler: true })
    expect(commandsOf([primary(), woken], gaveUp)).to.deep.equal(['fence db2', 'set-events db2'])
  })

  for (const [claim, expected, servers, draft] of [
    ['does nothing to a sound cluster', undefined, [primary(), replica(2)], {}],
    ['closes a replica that takes writes', ['fence db2'], [primary(), replica(2, { state: { readOnly: false } })], {}],
    ['closes a second writable server', ['fence db3'], [primary(), replica(2), other], {}],
    ['leaves a server alone that was never part of the cluster', undefined, [primary(), replica(2), stranger], {}],
    ['leaves it alone where it has the number of the primary, too', undefined, [primary(), replica(2), namesake], {}],
    [
      'starts the receiver again that its source sent to itself, when the source is another server',
      ['start-replication db2'],
      [primary(), replica(2, mistaken)],
      {},
    ],
    [
      'leaves it while both have one number',
      undefined,
      [primary(), replica(2, { ...mistaken, state: { serverNumber: 1 } })],
      {},
    ],
    [
      'starts the receiver again that a fatal error stopped',
      ['start-replication db2'],
      [primary(), replica(2, halted)],
      {},
    ],
    [
      'starts the receiver again that an error of its source stopped, whatever its number',
      ['start-replication db2'],
      [primary(), replica(2, answeredBadly)],
      {},
    ],
    [
      'leaves it while a default of sessions of its source would stop it again',
      undefined,
      [primary(1, {}, cutting), replica(2, halted)],
      {},
    ],
    [
      'leaves it where a person stopped the applier, too',
      undefined,
      [primary(), replica(2, { ...halted, sql: 'stopped' })],
      {},
    ],
    ['leaves it in maintenance', undefined, [primary(), replica(2, { ...halted, server: { maintenance: true } })], {}],
    ['leaves it while its source is silent', undefined, [primary(1, {}, silent()), replica(2, halted)], {}],
    ['leaves an empty server alone that was never part of it', undefined, [primary(), replica(2), blank], {}],
    [
      'closes an empty server where a member with its number was',
      ['fence db3'],
      [primary(), replica(2), blank],
      { memory: { members: { db3: 3 } } },
    ],
    [
      'leaves a server alone that has transactions of its own only, or another number, where a member was',
      undefined,
      [primary(), replica(2), stranger, server(4, { state: stateOf(4, { readOnly: false, executed: '' }) })],
      { memory: { members: { db3: 3, db4: 9 } } },
    ],
    [
      'leaves the read-only state of listed servers alone',
      undefined,
      [primary(), replica(2, { state: { readOnly: false }, server: { readOnlyIgnored: true } })],
      {},
    ],
    [
      'closes a listed server that was the primary',
      ['fence db1'],
      [
        primary(1, {}, { readOnlyIgnored: true }),
        primary(2, { executed: '0-1-100,0-2-101' }),
        replica(3, { source: 2 }),
      ],
      { memory: { primary: 'db2', crashes: [crash()] } },
    ],
    [
      'leaves replicas open where nothing enforces it',
      undefined,
      [primary(), replica(2, { state: { readOnly: false } })],
      { settings: { 'failover-readonly-state': false, 'force-slave-readonly': false } },
    ],
    [
      'leaves replicas open where failover-readonly-state alone is off',
      undefined,
      [primary(), replica(2, { state: { readOnly: false } })],
      { settings: { 'failover-readonly-state': false } },
    ],
    [
      'leaves replicas open where force-slave-readonly alone is off',
      undefined,
      [primary(), replica(2, { state: { readOnly: false } })],
      { settings: { 'force-slave-readonly': false } },
    ],
    [
      'opens a primary that restarted closed',
      ['make-writable db1', 'route-writes'],
      [closed({ restartedAt: NOW }), replica(2)],
      {},
    ],
    [
      'opens a primary found closed by a new manager',
      ['make-writable db1', 'route-writes'],
      [server(1, { state: stateOf(1) }), replica(2)],
      {},
    ],
    [
      'waits with opening until every server was read after the manager was suspended',
      undefined,
      [closed({ restartedAt: NOW }), replica(2), replica(3, { server: { stateAt: NOW - 10 * SECOND } })],
      {},
    ],
    [
      'leaves a primary closed while a server receives from another one, which may have its role',
      undefined,
      [closed({ restartedAt: NOW }), server(2, { ...silent(), stateAt: NOW }), replica(3, { source: 2 })],
      {},
    ],
    [
      'opens the primary that its own fence closed after a person gave it the role',
      ['make-writable db2', 'route-writes'],
      [
        server(1, silent(60 * SECOND)),
        primary(2, { readOnly: true }, { writableAt: NOW - SECOND }),
        replica(3, { source: 2 }),
      ],
      { memory: { primary: 'db2', fenced: { db2: { at: NOW - SECOND } } } },
    ],
    [
      'lets a primary that restarted wait for its replicas before it opens it, where semi-sync is configured',
      ['set-semi-sync db1', 'make-writable db1', 'route-writes'],
      [
        closed({ restartedAt: NOW }),
        replica(2, { io: 'connecting', state: { semiSync: { ...acknowledgingReplica, replicaActive: false } } }),
      ],
      { memory: { semiSync: true } },
    ],
    [
      'opens a primary that restarted at once when none of its replicas could acknowledge',
      ['make-writable db1', 'route-writes'],
      [
        closed({ restartedAt: NOW }),
        replica(2),
        replica(3, { io: 'stopped', state: { semiSync: acknowledgingReplica } }),
      ],
      { memory: { semiSync: true } },
    ],
    ['never opens a primary that a person closed', undefined, [closed(), replica(2)], {}],
    [
      'never opens a primary that a person closed before the manager restarted',
      undefined,
      [server(1, { state: stateOf(1) }), replica(2)],
      { memory: { closedByHand: true } },
    ],
    [
      'never opens a primary before every server was probed',
      undefined,
      [closed({ restartedAt: NOW }), server(2, { observation: 'unseen' })],
      {},
    ],
    [
      'never opens a primary that lost what its replicas have',
      undefined,
      [closed({ restartedAt: NOW }), replica(2, { received: '0-1-104' })],
      {},
    ],
    [
      'never opens a primary, seen by a new manager, that lost what a server has that follows it no more',
      undefined,
      [server(1, { state: stateOf(1) }), server(2, { state: stateOf(2, { executed: '0-1-104' }) })],
      {},
    ],
    [
      'waits for a server that was lost a moment ago before it opens a primary: it may know more',
      undefined,
      [closed({ restartedAt: NOW }), replica(2, { server: { ...refused, failingSince: NOW - 9_000 } }), replica(3)],
      {},
    ],
    [
      'waits no longer for a server that stays away',
      ['make-writable db1', 'route-writes'],
      [closed({ restartedAt: NOW }), replica(2, { server: { ...refused, failingSince: NOW - 11_000 } }), replica(3)],
      {},
    ],
    [
      'lets the writer of a pair follow its partner',
      ['repoint db1'],
      [primary(), replica(2)],
      { settings: { 'replication-multi-master': true } },
    ],
    [
      'lets the writer of a pair follow whom it took over from',
      ['repoint db1'],
      [primary(), replica(2), replica(3)],
      {
        settings: { 'replication-multi-master': true },
        memory: { history: [crash({ oldPrimary: 'db3', newPrimary: 'db1' })] },
      },
    ],
    [
      'guesses no partner among several replicas',
      undefined,
      [primary(), replica(2), replica(3)],
      { settings: { 'replication-multi-master': true } },
    ],
    [
      'lets the writer of a pair follow again when its partner has lost what it followed from',
      ['repoint db1'],
      [primary(1, { channels: [refusedChannel] }), replica(2)],
      { settings: { 'replication-multi-master': true } },
    ],
    [
      'leaves the writer of a pair alone when a person stopped its replication',
      undefined,
      [primary(1, { channels: [channel({ source: 2, io: 'stopped', sql: 'stopped' })] }), replica(2)],
      { settings: { 'replication-multi-master': true } },
    ],
    [
      'merges nothing that only the partner holds into a pair',
      undefined,
      [primary(), replica(2, { state: { executed: '0-1-100,0-2-101' } })],
      { settings: { 'replication-multi-master': true } },
    ],
    [
      'starts a replica that restarted without starting to replicate',
      ['start-replication db2'],
      [primary(), replica(2, { io: 'stopped', sql: 'stopped', server: { restartedAt: NOW } })],
      {},
    ],
    [
      'leaves a replica stopped that a person stopped',
      undefined,
      [primary(), replica(2, { io: 'stopped', sql: 'stopped' })],
      {},
    ],
    [
      'switches the source side of a replica off',
      ['set-semi-sync db2'],
      [primary(), replica(2, { state: { semiSync: acknowledgedSource(0) } })],
      {},
    ],
    [
      'switches the source side on when a replica can acknowledge again',
      ['set-semi-sync db1'],
      [primary(), replica(2, { state: { semiSync: acknowledgingReplica } })],
      { memory: { semiSync: true } },
    ],
    [
      'leaves the source side off when it is not configured',
      undefined,
      [primary(), replica(2, { state: { semiSync: acknowledgingReplica } })],
      {},
    ],
    [
      'waits with everything while an operation runs',
      undefined,
      [primary(), replica(2, { state: { readOnly: false } })],
      { operation: running() },
    ],
  ] as readonly (readonly [string, readonly string[] | undefined, readonly ServerSnapshot[], SituationDraft])[])
    it(claim, () => expect(commandsOf(servers, draft)).to.deep.equal(expected))
})

describe('urgentFences', () => {
  const fenced = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
    urgentFences(situation(servers, draft)).flatMap((command) => ('server' in command ? command.server : []))
  const cast = { oldPrimary: 'db1', newPrimary: 'db2' }
  const reprobe = (state: 'waiting' | 'done') => ({
    steps: [{ command: { type: 'reprobe', candidate: 'db2', frozen: true } as const, state }],
  })

  it('closes an old primary that wakes up while its successor is being promoted', () => {
    const awake = [primary(1), replica(2)]
    expect(fenced(awake, { operation: running({ kind: 'failover', ...cast, ...reprobe('done') }) })).to.deep.equal([
      'db1',
    ])
    expect(fenced(awake, { operation: running({ kind: 'failover', ...cast, ...reprobe('waiting') }) })).to.deep.equal(
      [],
    )
  })

  it('spares both sides of a switchover', () => {
    expect(fenced([primary(1), primary(2)], { operation: running({ ...cast }) })).to.deep.equal([])
  })

  it('spares a server that a person gave the role while an operation runs', () => {
    const moved = [server(1, refused), replica(2, { source: 3 }), primary(3)]
    expect(fenced(moved, { operation: running({ ...cast }) })).to.deep.equal([])
    expect(fenced([server(1, refused), replica(2), primary(3)], { operation: running({ ...cast }) })).to.deep.equal([
      'db3',
    ])
  })

  it('closes a candidate that wakes up open while its switchover is being undone, where it was sent the order', () => {
    const undoing = (state: 'failed' | 'skipped') => ({
      steps: [
        { command: { type: 'make-writable', server: 'db2' } as const, state },
        { command: { type: 'unfreeze', server: 'db1', writable: true } as const, state: 'running' as const },
      ],
    })
    const awake = [primary(1), primary(2, {}, { readOnlyIgnored: true })]
    expect(fenced(awake, { operation: running({ ...cast, ...undoing('failed') }) })).to.deep.equal(['db2'])
    expect(fenced([primary(1), primary(2)], { operation: running({ ...cast, ...undoing('skipped') }) })).to.deep.equal(
      [],
    )
  })

  it('fences no server while the primary is unknown', () => {
    const none = [
      server(1, { state: stateOf(1, { readOnly: false }) }),
      server(2, { state: stateOf(2, { readOnly: false }) }),
    ]
    expect(fenced(none, { memory: { primary: 'gone' } })).to.deep.equal([])
  })
})
