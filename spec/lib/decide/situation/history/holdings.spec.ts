// Whose transactions a server holds, on both flavours.
import { expect } from 'chai'
import { elect } from '../../../../../lib/decide/failover/election/elect.js'
import {
  aheadOf,
  errantOf,
  executedByOrigin,
  pendingByOrigin,
} from '../../../../../lib/decide/situation/history/holdings.js'
import { formatSet, parseGtidSet } from '../../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import {
  channel,
  crash,
  cutOff,
  gtid,
  NOW,
  primary,
  refused,
  replica,
  server,
  settings,
  situation,
  stateOf,
} from '../../../../support/simulator/situation.js'

const uuid = (number: number) => `0000000${number}-aaaa-bbbb-cccc-dddddddddddd`
const records = { crashes: [], history: [] }

/** A MySQL server; `executed` and `received` name transactions as `1:1-100,2:5` by server number. */
function mysql(number: number, executed: string, received?: string): ServerSnapshot {
  const setOf = (text: string) =>
    parseGtidSet(
      text
        .split(',')
        .map((part) => `${uuid(Number(part[0]))}${part.slice(1)}`)
        .join(','),
    )
  const set = setOf(executed)
  return server(number, {
    state: stateOf(number, {
      identity: { flavour: 'mysql', version: { major: 8, minor: 4, patch: 0 }, versionText: '8.4.0' },
      uuid: uuid(number),
      readOnly: received !== undefined,
      gtid: { ...gtid(''), executed: set, byOrigin: set },
      channels:
        received === undefined
          ? []
          : [{ ...channel({ source: 1, ...cutOff }), received: setOf(received), applied: set }],
    }),
  })
}

describe('errantOf', () => {
  it('finds on MySQL what carries another origin than the primary’s', () => {
    expect(formatSet(errantOf(mysql(2, '1:1-100,2:1-3', '1:1-100'), mysql(1, '1:1-90'), records))).to.equal(
      `${uuid(2)}:1-3`,
    )
  })

  it('takes nothing for errant that the primary wrote since it was read', () => {
    expect(errantOf(mysql(2, '1:1-100', '1:1-100'), mysql(1, '1:1-40'), records)).to.deep.equal({})
    expect(errantOf(replica(2), primary(1, { executed: '0-1-40' }), records)).to.deep.equal({})
  })

  it('takes nothing for errant that the primary had when it took over', () => {
    const old = replica(2, { state: { executed: '0-2-100' } })
    const took = crash({ oldPrimary: 'db2', newPrimary: 'db1', byOrigin: { '0-2': [[1, 100]] } })
    expect(errantOf(old, primary(1, { executed: '0-2-80' }), { crashes: [], history: [took] })).to.deep.equal({})
  })

  it('knows on MariaDB what a filled server has by its replica position', () => {
    const filled = primary(1, { executed: '0-1-120', replicaPosition: '0-9-100' })
    expect(formatSet(executedByOrigin(filled))).to.equal('0-1:1-120,0-9:1-100')
    expect(errantOf(replica(2, { state: { executed: '0-9-100,0-1-110' } }), filled, records)).to.deep.equal({})
  })
})

describe('pendingByOrigin', () => {
  it('counts what is received and not applied as the source’s own on MariaDB', () => {
    expect(formatSet(pendingByOrigin(replica(2, { received: '0-1-120', applied: '0-1-100' }), settings))).to.equal(
      '0-1:101-120',
    )
  })

  it('keeps the origins that MySQL names', () => {
    expect(formatSet(pendingByOrigin(mysql(2, '1:1-10', '1:1-12'), settings))).to.equal(`${uuid(1)}:11-12`)
  })
})

describe('aheadOf', () => {
  const scene = { settings, memory: records }

  it('is what the old primary has and the new one is missing', () => {
    expect(
      formatSet(aheadOf(primary(1, { executed: '0-1-103' }), primary(2, { executed: '0-1-100,0-2-110' }), scene)),
    ).to.equal('0-1:101-103')
    expect(aheadOf(primary(1), primary(2, { executed: '0-1-100,0-2-110' }), scene)).to.deep.equal({})
  })

  it('finds holes on MySQL, not only tails', () => {
    expect(formatSet(aheadOf(mysql(1, '1:1-100'), mysql(2, '1:1-49:51-100,2:1-9'), scene))).to.equal(`${uuid(1)}:50`)
  })

  it('counts what would be received and thrown away', () => {
    const late = replica(3, { received: '0-1-108', applied: '0-1-100' })
    expect(formatSet(aheadOf(late, primary(2, { executed: '0-1-100,0-2-110' }), scene))).to.equal('0-1:101-108')
  })

  it('takes nothing of the primary’s own for ahead when the primary was read before', () => {
    const stale = primary(2, { executed: '0-1-100,0-2-110' }, { stateAt: NOW - 500 })
    expect(aheadOf(replica(3, { source: 2, state: { executed: '0-1-100,0-2-112' } }), stale, scene)).to.deep.equal({})
  })
})

describe('elect, on MySQL', () => {
  const dead: ServerSnapshot = { ...mysql(1, '1:1-100'), ...refused }
  const run = (...replicas: readonly ServerSnapshot[]) => elect(situation([dead, ...replicas]), { kind: 'failover' })

  it('compares sets: more transactions are not more of the primary’s', () => {
    expect(run(mysql(2, '1:1-100', '1:1-105'), mysql(3, '1:1-100,3:1-50', '1:1-100,3:1-50')).candidate).to.equal('db2')
  })

  it('excludes an errant replica, and waits for a person when it alone has the latest', () => {
    const { candidate, heldElsewhere } = run(mysql(2, '1:1-100', '1:1-100'), mysql(3, '1:1-104,3:1', '1:1-104,3:1'))
    expect(candidate).to.equal('db2')
    expect(heldElsewhere).to.deep.equal([{ server: 'db3', transactions: 4 }])
  })
})
