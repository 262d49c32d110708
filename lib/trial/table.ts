// The named tests: what each proves, and its steps. Names are those of an existing system, so that its lists of tests run here.

import { findServer } from '../model/snapshot.js'
import type { Before } from '../model/trial/trial.js'
import { AT_HOME, type Fact, type Judged, judgeFact, WHOLE } from './fact.js'
import type { Hold, TrialSettings, TrialStep } from './step.js'

/** What a test needs of the cluster besides being whole; where it is missing, the test is skipped and says why. */
export type Need = 'semi-sync' | 'no-semi-sync'

export interface Trial {
  readonly name: string
  /** One sentence. */
  readonly proves: string
  readonly needs?: Need
  readonly steps: readonly TrialStep[]
}

const MOVED: Fact = 'the primary is another one than before'
const STOPPED: Fact = 'all replicas are stopped'
const LATE: Fact = 'all replicas are late'
const SEMI_SYNC: Fact = 'semi-sync: the primary waits for the replicas'
const OPEN: Fact = 'the primary takes writes'

const ROWS = 20

const expect = (...facts: readonly Fact[]): TrialStep => ({ do: 'expect', facts })
const write: TrialStep = { do: 'write', rows: ROWS }
const away: TrialStep = { do: 'switchover' }
const back: TrialStep = { do: 'switchover', to: 'home' }
const refused = (...codes: NonNullable<Extract<TrialStep, { do: 'switchover' }>['refused']>): TrialStep => ({
  do: 'switchover',
  refused: codes,
})
const set = (settings: TrialSettings): TrialStep => ({ do: 'set', settings })

/** There and back, with rows written before, between and after. */
const thereAndBack = (...facts: readonly Fact[]): readonly TrialStep[] => [
  ...[write, away, expect(WHOLE, MOVED, ...facts), write, { do: 'expect-rows' } as const],
  ...[back, expect(WHOLE, AT_HOME, ...facts), write, { do: 'expect-rows' } as const],
]

/** Nothing has changed for clients: the same server takes writes, and what they write reaches every server. */
const unchanged: readonly TrialStep[] = [expect(WHOLE, AT_HOME), write, { do: 'expect-rows' }]

/** A write or transaction of any age holds up the switchover, which gives up after a second. */
const heldUp = (what: Hold): readonly TrialStep[] => [
  set({ 'switchover-wait-write-query': 0, 'switchover-wait-trx': 1 }),
  ...[write, { do: 'hold', what } as const, refused('long-writes'), expect(OPEN, AT_HOME), { do: 'release' } as const],
  ...unchanged,
]

const rows: readonly Trial[] = [
  {
    name: 'testSwitchover2TimesReplicationOkNoSemiSyncNoRplCheck',
    proves: 'The role is handed over and handed back; all servers replicate each time, and no row is missing.',
    needs: 'no-semi-sync',
    steps: thereAndBack(),
  },
  {
    name: 'testSwitchover2TimesReplicationOkSemiSyncNoRplCheck',
    proves: 'The same with semi-sync: after each switchover the new primary waits for the replicas.',
    needs: 'semi-sync',
    steps: thereAndBack(SEMI_SYNC),
  },
  {
    name: 'testSwitchoverReadOnlyNoRplCheck',
    proves: 'With failover-readonly-state every server but the new primary is read-only after a switchover.',
    steps: [set({ 'failover-readonly-state': true }), write, away, expect(WHOLE, MOVED), { do: 'expect-rows' }],
  },
  {
    name: 'testSwitchoverLongTransactionNoRplCheckNoSemiSync',
    proves:
      'A transaction that has changed rows and runs a statement keeps the role where it is: the switchover is refused.',
    steps: heldUp('busy-transaction'),
  },
  {
    name: 'testSwitchoverLongQueryNoRplCheckNoSemiSync',
    proves: 'A long statement that writes keeps the role where it is: the switchover is refused.',
    steps: heldUp('long-write'),
  },
  {
    name: 'testSwitchoverLongTrxWithoutCommitNoRplCheckNoSemiSync',
    proves: 'An idle transaction that has changed rows keeps the role where it is: the switchover is refused.',
    steps: heldUp('open-transaction'),
  },
  {
    name: 'testSwitchoverAllSlavesStopRplCheckNoSemiSync',
    proves: 'While replication is stopped on all replicas a switchover is refused, and the primary goes on.',
    steps: [
      ...([write, { do: 'stop-replicas' }, expect(STOPPED), refused('no-candidate'), expect(OPEN, AT_HOME)] as const),
      ...[write, { do: 'start-replicas' } as const],
      ...unchanged,
    ],
  },
  {
    name: 'testSwitchoverAllSlavesDelayRplCheckNoSemiSync',
    proves: 'While all replicas are later than permitted a switchover is refused, and the primary goes on.',
    steps: [
      ...([set({ 'switchover-max-slave-delay': 1 }), write, { do: 'expect-rows' }] as const),
      ...([{ do: 'hold', what: 'applier' }, write, expect(LATE), refused('no-candidate')] as const),
      ...[expect(OPEN, AT_HOME), { do: 'release' } as const],
      ...unchanged,
    ],
  },
  {
    name: 'testSwitchoverAllReplicasInMaintenance',
    proves: 'While all replicas are in maintenance a switchover is refused, and the primary goes on.',
    steps: [write, { do: 'maintain-replicas' }, refused('no-candidate'), expect(OPEN, AT_HOME), write],
  },
  {
    name: 'testSwitchoverAtSyncWithoutSemiSync',
    proves: 'With switchover-at-sync and no semi-sync a switchover is refused: no replica is known to have everything.',
    needs: 'no-semi-sync',
    steps: [set({ 'switchover-at-sync': true }), write, refused('no-candidate'), ...unchanged],
  },
]

const byName: ReadonlyMap<string, Trial> = new Map(rows.map((row) => [row.name, row]))

/** In the order of the table. */
export const trialNames: readonly string[] = [...byName.keys()]

export const findTrial = (name: string): Trial | undefined => byName.get(name)

/** Why the test cannot begin: the cluster is not whole, or is none of the kind that it needs. */
export function judgeStart({ needs }: Pick<Trial, 'needs'>, judged: Judged): string | undefined {
  const line = judgeFact(WHOLE, judged)
  if (line !== undefined || needs === undefined) return line
  const { snapshot } = judged
  const has = findServer(snapshot, snapshot.primary)?.state?.semiSync.sourceEnabled === true
  if (needs === 'semi-sync') return judgeFact(SEMI_SYNC, judged)
  return has ? 'its primary waits for replicas (semi-sync): this test is for clusters without' : undefined
}

/** What the test changes, from the cluster as it is. */
export function beforeOf({ primary = '', servers }: Judged['snapshot']): Before {
  return { home: primary, replicas: servers.filter(({ id }) => id !== primary).map(({ id }) => id) }
}
