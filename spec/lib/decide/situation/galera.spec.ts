// Whether servers are one Galera cluster.
import { expect } from 'chai'
import { planGalera } from '../../../../lib/decide/situation/galera.js'
import { named } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import { primary, server } from '../../../support/simulator/situation.js'

const member = (number: number, status: Readonly<Record<string, string>> = {}, on = 'ON') => {
  const usual = { wsrep_cluster_status: 'Primary', wsrep_cluster_size: '2', wsrep_cluster_state_uuid: 'a' }
  const slow = { variables: named({ wsrep_on: on }), status: named({ ...usual, ...status }) } as unknown as SlowReading
  return primary(number, {}, { slow })
}

describe('planGalera', () => {
  it('has nothing to do when all are members of one cluster', () => {
    const found = planGalera([member(1), member(2)])
    expect(found.ok && found.value.commands.map(({ type }) => type)).to.deep.equal(['report'])
  })

  for (const [reason, other] of [
    ['db2 runs without Galera', member(2, {}, 'OFF')],
    ['db2 is in no primary component (non-Primary)', member(2, { wsrep_cluster_status: 'non-Primary' })],
    ['db2 sees 1 of 2 members', member(2, { wsrep_cluster_size: '1' })],
    ['they are members of different clusters', member(2, { wsrep_cluster_state_uuid: 'b' })],
    ['db2 has not been probed yet', server(2)],
  ] as const)
    it(`is refused, since ${reason}`, () => {
      const refused = planGalera([member(1), other])
      expect(refused).to.have.nested.property('failure.code', 'unsupported')
      expect(refused).to.have.nested.property('failure.message').that.contains(reason).and.contains('wsrep-new-cluster')
    })
})
