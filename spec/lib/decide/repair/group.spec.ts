// Servers that are to become one Galera cluster by restarts: who starts it, who is filled, and what forbids it.
import { expect } from 'chai'
import { judgeGroup } from '../../../../lib/decide/repair/group.js'
import { judgeTopology } from '../../../../lib/decide/situation/topology/topology.js'
import { named } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  replica,
  running,
  type SituationDraft,
  server,
  silent,
  situation,
  stateOf,
  synced,
} from '../../../support/simulator/situation.js'

const alone = (number: number, executed = '', draft = {}) =>
  server(number, { state: stateOf(number, { executed }), ...draft })
const member = (number: number) => {
  const status = { wsrep_cluster_status: 'Primary', wsrep_cluster_size: '1', wsrep_cluster_state_uuid: 'a' }
  const slow = { variables: named({ wsrep_on: 'ON' }), status: named(status) } as unknown as SlowReading
  return alone(number, '', { slow })
}
const judge = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
  judgeGroup(situation(servers, { memory: { primary: 'nobody' }, ...draft }))

describe('judgeGroup', () => {
  it('lets the first start it, and the others be filled', () => {
    const found = judge([alone(1), alone(2), alone(3)])
    expect(found.ok && found.value).to.deep.equal({ leader: 'db1', runs: false, joiners: ['db2', 'db3'] })
  })

  it('takes the preferred server for the first', () => {
    const found = judge([alone(1), alone(2, '', { rating: 'preferred' }), alone(3)])
    expect(found.ok && found.value.leader).to.equal('db2')
  })

  it('goes on where a member runs already, also with those that are down', () => {
    const found = judge([alone(1), member(2), server(3, silent())])
    expect(found.ok && found.value).to.deep.equal({ leader: 'db2', runs: true, joiners: ['db1', 'db3'] })
  })

  for (const [code, reason, servers, draft] of [
    ['wrong-state', 'at least 3', [alone(1), alone(2)], {}],
    ['wrong-state', 'db3 does not answer', [alone(1), alone(2), server(3, silent())], {}],
    ['wrong-state', 'db2 replicates', [alone(1), replica(2), alone(3)], {}],
    ['vetoed', 'db2 has transactions that db1 is missing', [alone(1), alone(2, '0-2-7'), alone(3)], {}],
    ['operation-running', 'is running', [alone(1), alone(2), alone(3)], { operation: running }],
  ] as const)
    it(`is refused with ${code}: ${reason}`, () => {
      const refused = judge(servers, draft as SituationDraft)
      expect(refused).to.have.nested.property('failure.code', code)
      expect(refused).to.have.nested.property('failure.message').that.contains(reason)
    })
})

describe('judgeTopology', () => {
  it('recognizes Galera by what a member reports, also by the last report of one that is down', () => {
    const { settings } = situation([])
    const said = { state: stateOf(2, { galera: synced }) }
    expect(judgeTopology({ servers: [alone(1), server(2, said), server(3, silent())], settings })).to.equal('galera')
    expect(judgeTopology({ servers: [alone(1), server(2, { ...said, ...silent() })], settings })).to.equal('galera')
    expect(judgeTopology({ servers: [alone(1), alone(2), alone(3)], settings })).to.equal('unknown')
  })
})
