// What the primary of MySQL is committing is not lost, though a replica shows it before the primary does.
import { expect } from 'chai'
import { lostOf, rememberHeld } from '../../../../../lib/decide/situation/history/history.js'
import { freshMemory } from '../../../../../lib/model/memory.js'
import { formatSet, type GtidSet, parseGtidSet } from '../../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import { primary, settings } from '../../../../support/simulator/situation.js'

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
