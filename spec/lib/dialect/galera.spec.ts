// The state of a member of a Galera cluster, by its status variables.
import { expect } from 'chai'
import { dialectFor } from '../../../lib/dialect/index.js'
import { parseGalera } from '../../../lib/dialect/mariadb/galera.js'
import { parseVersion } from '../../../lib/model/server/version.js'

const read = (state: string, { part = 'Primary', ready = 'ON', comment = '' } = {}) =>
  parseGalera([
    { Variable_name: 'wsrep_local_state', Value: state },
    { Variable_name: 'wsrep_local_state_comment', Value: comment },
    { Variable_name: 'wsrep_ready', Value: ready },
    { Variable_name: 'wsrep_cluster_status', Value: part },
    { Variable_name: 'wsrep_cluster_state_uuid', Value: 'a' },
  ])

describe('parseGalera', () => {
  for (const [given, parsed, state, ready] of [
    ['4, ready', read('4'), 'synced', true],
    ['4, not ready', read('4', { ready: 'OFF' }), 'unsynced', false],
    ['4, cut off', read('4', { part: 'non-Primary' }), 'unsynced', false],
    ['2, ready', read('2'), 'donor', true],
    ['2, not ready while a donor', read('2', { ready: 'OFF' }), 'donor', false],
    ['3 (joined)', read('3'), 'unsynced', false],
    ['1 (joining)', read('1', { ready: 'OFF' }), 'unsynced', false],
    ['0, disconnected', read('0', { part: 'Disconnected', ready: 'OFF' }), 'unsynced', false],
    ['nothing', parseGalera([]), 'unsynced', false],
  ] as const)
    it(`reads ${state}, ${ready ? 'ready' : 'not ready'}, of ${given}`, () => {
      expect({ state: parsed.state, ready: parsed.ready }).to.deep.equal({ state, ready })
    })

  it('is read only on servers with Galera enabled', () => {
    const identity = { flavour: 'mariadb', version: parseVersion('10.11.6'), versionText: '10.11.6-MariaDB' } as const
    expect(dialectFor(identity).fastProbe).to.not.contain('wsrep')
    expect(dialectFor({ ...identity, galera: true }).fastProbe)
      .to.contain(';SHOW STATUS')
      .and.contain('wsrep_ready')
  })
})
