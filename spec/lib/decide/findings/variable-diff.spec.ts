// Differences of variables between a primary and its replicas.
import { expect } from 'chai'
import { compareVariables, differingVariables } from '../../../../lib/decide/findings/variable-diff.js'
import { named } from '../../../../lib/model/server/named.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'

const server = (id: string, variables?: Record<string, string>) =>
  ({ id, ...(variables ? { slow: { variables: named(variables) } } : {}) }) as Pick<ServerSnapshot, 'id' | 'slow'>

describe('compareVariables', () => {
  it('names each variable with the values of the primary and of every replica that differs', () => {
    const servers = [
      server('db2', { max_connections: '500', sort_buffer_size: '1' }),
      server('db1', { max_connections: '1000', sort_buffer_size: '1' }),
      server('db3', { max_connections: '1000', sort_buffer_size: '2' }),
    ]
    expect(compareVariables(servers, 'db1')).to.deep.equal([
      {
        name: 'max_connections',
        values: [
          { server: 'db1', value: '1000' },
          { server: 'db2', value: '500' },
        ],
      },
      {
        name: 'sort_buffer_size',
        values: [
          { server: 'db1', value: '1' },
          { server: 'db3', value: '2' },
        ],
      },
    ])
  })

  it('ignores variables that differ by nature, and those that only one server has', () => {
    const servers = [
      server('db1', { server_id: '1', read_only: 'OFF', datadir: '/a', gtid_binlog_pos: '1-1-1', new_variable: '1' }),
      server('db2', { server_id: '2', read_only: 'ON', datadir: '/b', gtid_binlog_pos: '1-1-2' }),
    ]
    expect(compareVariables(servers, 'db1')).to.deep.equal([])
  })

  it('is empty without a probed primary', () => {
    expect(compareVariables([server('db1'), server('db2', { a: '1' })], 'db1')).to.deep.equal([])
    expect(compareVariables([server('db1', { a: '2' }), server('db2', { a: '1' })], undefined)).to.deep.equal([])
  })
})

describe('differingVariables', () => {
  const primary = server('db1', { max_connections: '1000', sort_buffer_size: '1', server_id: '1' })

  it('names the variables of a replica that differ, except those that differ by nature', () => {
    const replica = server('db2', { max_connections: '500', sort_buffer_size: '1', server_id: '2' })
    expect(differingVariables(primary, replica)).to.deep.equal(['max_connections'])
  })

  it('names a variable once that has two names', () => {
    const slow = (seconds: string) => ({
      ...{ log_slow_query_time: seconds, long_query_time: seconds },
      ...{ slave_net_timeout: seconds, replica_net_timeout: seconds, tx_isolation: seconds },
    })
    expect(differingVariables(server('db1', slow('1')), server('db2', slow('2')))).to.have.members([
      'long_query_time',
      'replica_net_timeout',
      'tx_isolation',
    ])
  })

  it('is empty for a server that was not read, and for one that reports the same', () => {
    expect(differingVariables(primary, server('db2'))).to.deep.equal([])
    expect(differingVariables(server('db1'), server('db2', { a: '1' }))).to.deep.equal([])
    expect(differingVariables(primary, { ...primary, id: 'db2' } as typeof primary)).to.deep.equal([])
  })
})
