// What a candidate is missing of the history although it has everything that the primary gives it.
import { expect } from 'chai'
import { elect } from '../../../../../lib/decide/failover/election/elect.js'
import { refuseOutdated } from '../../../../../lib/decide/failover/outdated.js'
import { missingOwn } from '../../../../../lib/decide/situation/history/history.js'
import { refuseOpening } from '../../../../../lib/decide/switchover/opening.js'
import { planSwitchover } from '../../../../../lib/decide/switchover/switchover.js'
import { parseState } from '../../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import { NOW, primary, replica, type SituationDraft, situation } from '../../../../support/simulator/situation.js'

/** It stopped at what its source has not. */
const apart = { io: 'stopped', ioError: { code: 1236, message: 'error 1236' } } as const

const refusalOf = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}): string => {
  const plan = planSwitchover(situation(servers, draft), { user: 'ann', candidate: 'db2' })
  return plan.ok ? '' : `${plan.failure.code}: ${plan.failure.message}`
}

/** db3 holds 0-2-40, which db2 wrote when it was the primary; db2 holds its own up to 0-2-30. */
const forgot = [
  primary(1, { executed: '0-1-20,0-2-30' }),
  replica(2, { received: '0-2-30', state: { executed: '0-1-20,0-2-30' } }),
  replica(3, { received: '0-2-40', state: { executed: '0-1-20,0-2-40' }, ...apart }),
]

/** Every name of db2's own is gone from it; its position is later than they are. */
const unnamed = [
  primary(1, { executed: '0-1-50' }),
  replica(2, { received: '0-1-50' }),
  replica(3, { received: '0-1-50', state: { executed: '0-1-50,0-2-40' } }),
]

describe('ownElsewhere', () => {
  it('refuses a switchover to a server that is missing its own transactions, and names them with their holder', () => {
    expect(refusalOf(forgot)).to.equal(
      'no-candidate: db2 is missing 10 transactions that it wrote itself: 0-2:31-40 (on db3).',
    )
  })

  it('keeps such a server out of an automatic failover, not out of one that a person requests', () => {
    const { ranking } = elect(situation(forgot), { kind: 'failover' })
    expect(ranking.find(({ server }) => server === 'db2')).to.include({ eligible: false, code: 'ERR00124' })
    const forced = elect(situation(forgot), { kind: 'failover', forced: true }).ranking
    expect(forced.find(({ server }) => server === 'db2')).to.include({ eligible: true })
  })

  it('refuses an outdated plan and an opening by hand', () => {
    const plan = { kind: 'switchover', owner: 'ann', oldPrimary: 'db1', newPrimary: 'db2', steps: [] } as const
    const closed = [primary(1, { executed: '0-1-20,0-2-30', readOnly: true }), ...forgot.slice(1)]
    expect(refuseOutdated(situation(closed), 'db2', plan)).to.include('0-2:31-40')
    expect(refuseOpening(situation(forgot), 'db2')).to.include('0-2:31-40')
  })

  it('takes a replica that is behind for no replica that is missing transactions, where a person opens it', () => {
    const held = { set: { '0-1': [[1, 100]] }, opened: true, primary: 'db1', at: NOW } as const
    const opening = (behind: ServerSnapshot, first = primary(1, { executed: '0-1-100' })) =>
      refuseOpening(situation([first, behind], { memory: { held } }), 'db2', { behind: true })
    const draft = { received: '0-1-95', applied: '0-1-90', state: { executed: '0-1-90' } } as const
    const late = replica(2, draft)
    expect(
      refuseOpening(situation([primary(1, { executed: '0-1-100' }), late], { memory: { held } }), 'db2'),
    ).to.include('is missing 10 transactions')
    expect(opening(late)).to.equal(undefined)
    for (const change of [{ io: 'stopped' }, { io: 'connecting' }, { sql: 'stopped' }] as const)
      expect(opening(replica(2, { ...draft, ...change })), JSON.stringify(change)).to.include('is missing')
    expect(opening(late, { ...primary(1, { executed: '0-1-100' }), observation: 'silent' })).to.include('is missing')
    expect(opening(late, primary(1, { executed: '0-1-93' })), 'its source has lost the rest').to.include('0-1:96-100')
  })

  it('does not count what a server that receives from the candidate got later than the candidate was read', () => {
    const below = replica(3, { source: 2, received: '0-1-120', applied: '0-1-100' })
    expect(refusalOf([primary(), replica(2), below])).to.equal('')
  })

  it('counts what waits in a relay log that receives nothing', () => {
    const below = replica(3, { source: 2, received: '0-2-120', applied: '0-1-100', ...apart })
    expect(refusalOf([primary(), replica(2), below])).to.include('0-2:101-120 (on db3)')
  })
})

describe('missingOwn', () => {
  /** Its position is later than what it wrote itself, of which it shows nothing. */
  const passed: ServerSnapshot = {
    ...replica(2, { state: { executed: '0-1-60' } }),
    missingOwn: { '0-2': [[31, 40]] },
  }
  const missingOf = (server: ServerSnapshot) =>
    missingOwn(
      server,
      { servers: [primary(1, { executed: '0-1-60,0-2-40' }), server], primary: 'db1', topology: 'primary-replica' },
      {},
    )

  it('keeps what a server was found without, although its position is later now', () => {
    expect(missingOf(passed)).to.deep.equal({ '0-2': [[31, 40]] })
  })

  it('counts only what the server shows while it is in maintenance, where a person may fill it', () => {
    expect(missingOf({ ...passed, maintenance: true })).to.deep.equal({})
  })
})

describe('mayMissOwn', () => {
  it('ranks a server behind its equal where nothing shows whether a copy gave it what it wrote itself', () => {
    expect(elect(situation(unnamed), { kind: 'failover' })).to.include({ candidate: 'db3' })
    expect(refusalOf(unnamed)).to.equal('')
  })
})

describe('lostWithPrimary', () => {
  const held = {
    primary: 'db1',
    set: parseState('0-1-100,0-3-90'),
    at: NOW - 10_000,
    opened: true as const,
    forked: { '0-3': [[81, 90]] as const },
  }

  it('refuses a switchover to a server that is missing what the primary lost', () => {
    const refusal = refusalOf([primary(), replica(2)], { memory: { held } })
    expect(refusal).to.include('db2 is missing 10 transactions that db1 has lost')
    expect(refusal).to.include('0-3:81-90; fail over to a server that holds them')
  })

  it('lets it take over when it holds them', () => {
    const holder = replica(2, { state: { executed: '0-1-100,0-3-90' } })
    expect(refusalOf([primary(), holder], { memory: { held } })).to.equal('')
  })
})
