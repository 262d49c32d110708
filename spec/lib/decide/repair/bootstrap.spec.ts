// Forming a topology of servers that do not replicate yet.
import { expect } from 'chai'
import { planBootstrap } from '../../../../lib/decide/repair/bootstrap.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  acknowledgingReplica,
  running,
  type SituationDraft,
  server,
  silent,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const empty = (number: number, draft = {}) => server(number, { state: stateOf(number, { executed: '', ...draft }) })
const plan = (servers: readonly ServerSnapshot[], topology: string, draft: SituationDraft = {}) =>
  planBootstrap(situation(servers, { memory: { primary: 'nobody' }, ...draft }), { topology })
const links = (topology: string) => {
  const found = plan([empty(1), empty(2), empty(3)], topology)
  return (
    found.ok &&
    found.value.commands.flatMap((command) =>
      command.type === 'repoint' ? [`${command.server}>${command.source}`] : [],
    )
  )
}

describe('planBootstrap', () => {
  it('repoints all others to the first', () => expect(links('master-slave')).to.deep.equal(['db2>db1', 'db3>db1']))
  it('builds tiers', () => expect(links('multi-tier-slave')).to.deep.equal(['db2>db1', 'db3>db2']))
  it('builds a pair', () => expect(links('multi-master')).to.deep.equal(['db2>db1', 'db1>db2', 'db3>db1']))

  it('builds a ring', () => expect(links('multi-master-ring')).to.deep.equal(['db1>db3', 'db2>db1', 'db3>db2']))

  it('takes the preferred server for the primary', () => {
    const found = plan(
      [empty(1), server(2, { rating: 'preferred', state: stateOf(2, { executed: '' }) })],
      'master-slave',
    )
    expect(found.ok && found.value.commands.find(({ type }) => type === 'make-writable')).to.include({ server: 'db2' })
  })

  it('lets the primary wait for acknowledgements after its replicas follow', () => {
    const found = plan([empty(1), empty(2, { semiSync: acknowledgingReplica })], 'master-slave')
    const types = found.ok ? found.value.commands.map(({ type }) => type) : []
    expect(types.indexOf('set-semi-sync')).to.be.above(types.indexOf('repoint'))
  })

  for (const [code, servers, topology, draft] of [
    ['unknown-topology', [empty(1), empty(2)], 'star', {}],
    ['unsupported', [empty(1), empty(2)], 'master-slave-no-gtid', {}],
    ['wrong-state', [empty(1), empty(2)], 'multi-master-ring', {}],
    ['wrong-state', [empty(1), server(2, silent())], 'master-slave', {}],
    ['vetoed', [empty(1), empty(2, { executed: '0-2-7' })], 'master-slave', {}],
    ['operation-running', [empty(1), empty(2)], 'master-slave', { operation: running() }],
  ] as const)
    it(`is refused with ${code}`, () => {
      expect(plan(servers, topology, draft)).to.have.nested.property('failure.code', code)
    })
})
