// What a primary is committing: on MySQL a replica shows it before the primary does, and it is not lost; MariaDB shows it before a
// replica has it, and no client has an answer for it yet.
import { expect } from 'chai'
import { lostOf, rememberHeld } from '../../../../../lib/decide/situation/history/history.js'
import { freshMemory } from '../../../../../lib/model/memory.js'
import { formatSet, type GtidSet, parseGtidSet } from '../../../../../lib/model/server/gtid.js'
import type { SemiSyncState } from '../../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import { gtid, primary, replica, semiSyncOff, settings } from '../../../../support/simulator/situation.js'

const uuid = 'aaaaaaaa-1111-2222-3333-bbbbbbbbbbbb'

/** The primary, read after what was held was seen. */
function read(executed: string, committing?: GtidSet): ServerSnapshot {
  const server = primary(1, {}, { stateAt: 5_000, probeMs: 0 })
  if (!server.state) throw new Error('it was read')
  const set = parseGtidSet(executed)
  const gtid = { ...server.state.gtid, executed: set, byOrigin: set, ...(committing ? { committing } : {}) }
  return { ...server, state: { ...server.state, identity: { ...server.state.identity, flavour: 'mysql' }, uuid, gtid } }
}
const held = { primary: 'db1', set: parseGtidSet(`${uuid}:1-2212`), at: 4_000 }

describe('what the primary is committing', () => {
  it('is not lost', () => {
    expect(formatSet(lostOf(read(`${uuid}:1-2211`), held))).to.equal(`${uuid}:2212`)
    expect(lostOf(read(`${uuid}:1-2211`, parseGtidSet(`${uuid}:2212`)), held)).to.deep.equal({})
    expect(formatSet(lostOf(read(`${uuid}:1-2210`, parseGtidSet(`${uuid}:2212`)), held))).to.equal(`${uuid}:2211`)
  })

  it('is lost when the primary neither has it nor commits it any more', () => {
    const memory = { ...freshMemory, primary: 'db1', held }
    const servers = [read(`${uuid}:1-2211`, parseGtidSet(`${uuid}:2212`)), { ...read(`${uuid}:1`), id: 'db2' }]
    const next = rememberHeld(memory, { servers, topology: 'primary-replica', settings })
    if (!next) throw new Error('it is remembered')
    expect(next.set).to.deep.equal(held.set)
    expect(next).to.not.have.property('forked')
    expect(formatSet(lostOf(read(`${uuid}:1-2211`), next))).to.equal(`${uuid}:2212`)
  })
})

describe('what a primary of MariaDB waits with', () => {
  const source = { ...semiSyncOff, sourceEnabled: true, sourceActive: true, waitPoint: 'after-sync' as const }
  const heldBy = (semiSync: SemiSyncState) => {
    const servers = [
      primary(1, { semiSync, gtid: gtid('0-2-40,0-1-103') }, { stateAt: 5_000 }),
      replica(2, { received: '0-1-101', applied: '0-1-100' }),
    ]
    const memory = { ...freshMemory, primary: 'db1' }
    const held = rememberHeld(memory, { servers, topology: 'primary-replica', settings })
    return formatSet(held?.set ?? {})
  }

  it('is not held: only what a replica received is', () => {
    expect(heldBy(source)).to.equal('0-2:1-40,0-1:1-101')
  })

  for (const [claim, semiSync] of [
    ['it does not wait any more', { ...source, sourceActive: false }],
    ['it waits after the commit only', { ...source, waitPoint: 'after-commit' as const }],
    ['it is asynchronous', semiSyncOff],
  ] as const)
    it(`is held where ${claim}`, () => {
      expect(heldBy(semiSync)).to.equal('0-2:1-40,0-1:1-103')
    })
})
