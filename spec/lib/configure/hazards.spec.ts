// What differs between servers in a way that breaks a switchover.
import { expect } from 'chai'
import { switchoverHazards } from '../../../lib/configure/index.js'

describe('switchoverHazards', () => {
  const server = (name: string, variables: Record<string, string>) => ({ name, variables })
  for (const [claim, one, other, tags, expected] of [
    ['finds none on servers that fit', { server_id: '1' }, { server_id: '2' }, [], []],
    [
      'finds one server_id twice',
      { server_id: '1' },
      { server_id: '1' },
      [],
      ['server_id is not unique: db1 1, db2 1'],
    ],
    [
      'finds two domains',
      { gtid_domain_id: '0' },
      { gtid_domain_id: '1' },
      [],
      ['gtid_domain_id differs: db1 0, db2 1'],
    ],
    ['knows clusters of several domains', { gtid_domain_id: '0' }, { gtid_domain_id: '1' }, ['multidomains'], []],
    [
      'finds a replica that cannot log rows',
      { binlog_format: 'ROW' },
      { binlog_format: 'STATEMENT' },
      [],
      ['binlog_format differs: db1 ROW, db2 STATEMENT'],
    ],
  ] as const)
    it(claim, () => {
      expect(switchoverHazards({ servers: [server('db1', one), server('db2', other)], tags })).to.deep.equal(expected)
    })
})
