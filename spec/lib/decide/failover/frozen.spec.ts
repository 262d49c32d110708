// The election repeated when the replicas receive nothing: who wins now, and what speaks against continuing.
import { expect } from 'chai'
import { electFrozen, refuseFrozen } from '../../../../lib/decide/failover/failover.js'
import {
  acknowledgedSource,
  cutOff,
  primary,
  type ReplicaDraft,
  refused,
  replica,
  situation,
} from '../../../support/simulator/situation.js'

const dead = primary(1, {}, refused)
const lost = (number: number, draft: ReplicaDraft = {}) => replica(number, { ...cutOff, ...draft })

describe('refuseFrozen', () => {
  const semiSync = primary(1, { semiSync: acknowledgedSource(2) }, refused)
  const fetches = [{ type: 'catch-up', server: 'db2', source: 'db3' }] as const
  const away = lost(3, { received: '0-1-120', server: { maintenance: true } })
  const broken = lost(3, { received: '0-1-120', applied: '0-1-80', sql: 'stopped' })
  const closed = (executed: string) => primary(1, { executed, readOnly: true })
  for (const [claim, refuses, servers, running, forced] of [
    ['continues when no server has more', false, [semiSync, lost(2), lost(3)], [], false],
    ['aborts when an ignored server turns out to have more', true, [semiSync, lost(2), away], [], false],
    ['continues when the plan fetches that', false, [semiSync, lost(2), away], fetches, false],
    ['gives up nothing acknowledged that cannot be fetched', true, [semiSync, lost(2), broken], [], false],
    ['gives it up when a person requested the failover', false, [semiSync, lost(2), broken], [], true],
    ['gives it up when replication was asynchronous', false, [dead, lost(2), broken], [], false],
    ['goes back to the old primary that answers again and has more', true, [closed('0-1-120'), lost(2)], [], false],
    ['continues when the old primary answers again and has no more', false, [closed('0-1-100'), lost(2)], [], false],
    ['continues without what it has when a person requested that', false, [closed('0-1-120'), lost(2)], [], true],
  ] as const)
    it(claim, () => {
      const one = situation(servers)
      expect(refuseFrozen(one, electFrozen(one, running, forced), { running, forced }) !== undefined).to.equal(refuses)
    })
})

describe('electFrozen', () => {
  const stopped = { io: 'stopped', received: '0-1-90' } as const
  const frozen = (ids: readonly string[]) =>
    electFrozen(
      situation([dead, replica(2, stopped), replica(3, { ...stopped, received: '0-1-80' })]),
      ids.map((server) => ({ type: 'stop-receiving', server })),
    ).candidate

  it('does not exclude a server that the plan has stopped, whatever it is missing', () => {
    expect(frozen(['db2', 'db3'])).to.equal('db2')
  })

  it('still excludes one that had stopped before', () => {
    expect(frozen(['db3'])).to.equal('db3')
    expect(frozen([])).to.equal(undefined)
  })
})
