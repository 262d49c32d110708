// What maintenance, resets and cancellations would change of a cluster's own record.
import { expect } from 'chai'
import { type OwnScene, ownLists } from '../../../../lib/decide/upkeep/preview-own.js'
import type { Appointment } from '../../../../lib/model/operation/appointment.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import { primary, replica, situation } from '../../../support/simulator/situation.js'

const servers = [primary(), replica(2)]

const scene = (more: Partial<OwnScene> = {}): OwnScene => ({
  ...{ situation: situation(servers), roll: undefined, appointment: undefined },
  ...more,
})

const roll: Roll = {
  ...{ id: 'rolling-restart-1', kind: 'restart', owner: 'ann', startedAt: 1, home: 'db1', primary: 'db1' },
  ...{ phase: 'running', servers: [{ server: 'db2', state: 'acting' }] },
}

const appointment: Appointment = {
  ...{ id: 'scheduled-switchover-1', owner: 'ann', askedAt: 1, from: 60_000, until: 90_000, phase: 'waiting' },
}

describe('ownLists', () => {
  it('names the maintenance of a server now and then, and what it is left out of', () => {
    const listed = ownLists.maintenance(scene(), { type: 'maintenance', server: 'db2', on: true })
    expect(listed).to.have.deep.nested.property('value.changes', [
      { what: 'maintenance of db2', before: 'off', after: 'on' },
    ])
    expect(listed).to.have.nested.property('value.follows[0]').that.contains('neither elected nor repaired')
  })

  it('warns of maintenance of the primary', () => {
    const listed = ownLists.maintenance(scene(), { type: 'maintenance', server: 'db1' })
    expect(JSON.stringify(listed)).to.contain('db1 is the primary: no failover happens while it lasts')
  })

  it('has no step where maintenance is so already', () => {
    const listed = ownLists.maintenance(scene(), { type: 'maintenance', server: 'db2', on: false })
    expect(listed).to.have.deep.nested.property('value.steps', [])
  })

  it('refuses to end the maintenance of a server that is being filled', () => {
    const filled = situation(servers, { memory: { returns: { db2: { since: 1, attempts: [], active: 'rebuild' } } } })
    const listed = ownLists.maintenance(scene({ situation: filled }), { type: 'maintenance', server: 'db2', on: false })
    expect(listed).to.have.nested.property('failure.code', 'operation-running')
  })

  it('resets the counter from its value to 0', () => {
    const counted = situation(servers, { memory: { failoverCount: 3, lastFailoverAt: 60_000 } })
    const listed = ownLists.reset(scene({ situation: counted }), { type: 'reset', what: 'failover-control' })
    expect(listed).to.have.deep.nested.property('value.changes', [
      { what: 'failover counter', before: '3', after: '0' },
      { what: 'last failover', before: '1970-01-01T00:01:00.000Z', after: null },
    ])
  })

  it('ends the rolling work that runs, and no other', () => {
    const mine = ownLists['cancel-roll'](scene({ roll }), { type: 'cancel-roll', kind: 'restart' })
    expect(mine).to.have.nested.property('value.changes[0].what', 'rolling-restart-1')
    const other = ownLists['cancel-roll'](scene({ roll }), { type: 'cancel-roll', kind: 'reprov' })
    expect(other).to.have.nested.property('failure.code', 'wrong-state')
  })

  it('takes a scheduled switchover back unless it has begun', () => {
    const waiting = ownLists['cancel-appointment'](scene({ appointment }), { type: 'cancel-appointment' })
    expect(waiting).to.have.nested.property('value.changes[0].after', 'cancelled')
    const begun = { ...appointment, phase: 'running' as const }
    const running = ownLists['cancel-appointment'](scene({ appointment: begun }), { type: 'cancel-appointment' })
    expect(running).to.have.nested.property('failure.code', 'operation-running')
  })

  it('ends a return only where there is one', () => {
    const listed = ownLists['cancel-return'](scene(), { type: 'cancel-return', server: 'db2' })
    expect(listed).to.have.nested.property('failure.code', 'unknown-job')
  })
})
