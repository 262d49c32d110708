// What the pages of checksums and scans make of replies: tables by their state, rows by their keys, changes newest first.
import { expect } from 'chai'
import {
  countStates,
  filterTables,
  nameOfTable,
  readChecksum,
  readChecksums,
} from '../../../http/dashboard/src/model/upkeep/checksums.js'
import { readSchemaReport } from '../../../http/dashboard/src/model/upkeep/schema-scan.js'

const table = (name: string, table_sync: string, more: object = {}) => ({
  ...{ table_schema: 'shop', table_name: name, table_sync, rows: 10, chunks: 1, start: 100, end: 104, job: 7 },
  servers: [],
  ...more,
})

describe('checksums of tables', () => {
  it('list what differs first, what was not compared next, what is equal last', () => {
    const tables = readChecksums([
      ...[table('a', 'OK'), table('b', 'WA'), table('d', 'ER'), table('c', 'ER'), table('e', 'NA'), table('f', 'PR')],
    ])
    expect(tables.map(({ table: name, state }) => [name, state])).to.deep.equal([
      ...[
        ['c', 'different'],
        ['d', 'different'],
        ['e', 'not-compared'],
        ['f', 'running'],
        ['b', 'waiting'],
      ],
      ['a', 'equal'],
    ])
    expect(countStates(tables)).to.deep.equal({ different: 2, 'not-compared': 1, running: 1, waiting: 1, equal: 1 })
  })

  it('have times in milliseconds, and none while they are compared', () => {
    const [ended] = readChecksums([table('a', 'OK')])
    expect(ended).to.deep.include({ job: '7', startedAt: 100_000, endedAt: 104_000 })
    const [running] = readChecksums([table('a', 'PR', { end: undefined })])
    expect(running).not.to.have.property('endedAt')
  })

  it('of a state or without a name that this page does not know are left out', () => {
    expect(readChecksums([table('a', 'XX'), { table_sync: 'OK' }, {}])).to.deep.equal([])
    expect(readChecksums(undefined)).to.deep.equal([])
  })

  it('are narrowed by words and state', () => {
    const tables = readChecksums([table('orders', 'OK'), table('carts', 'ER')])
    const fits = (words: string, state = '') => filterTables(tables, { words, state }).map(nameOfTable)
    expect(fits('')).to.deep.equal(['shop.carts', 'shop.orders'])
    expect(fits(' SHOP.O')).to.deep.equal(['shop.orders'])
    expect(fits('', 'different')).to.deep.equal(['shop.carts'])
    expect(fits('orders', 'different')).to.deep.equal([])
  })
})

describe('a table that was compared', () => {
  const servers = [
    { server: 'db2', name: 'db2:3306', verdict: 'different', chunks: 1, open: 0 },
    { server: 'db3', name: 'db3:3306', verdict: 'other', chunks: 0, open: 0 },
  ]
  const part = { server: 'db2', chunk: 2, predicate: '(`id` > 1000)', rowsOnPrimary: 1_000, rowsOnReplica: 999 }

  it('names the rows that differ by the columns of their key', () => {
    const rows = [
      { kind: 'missing', key: { id: '1207', shop: null } },
      { kind: 'unheard', key: { id: '1' } },
    ]
    const found = readChecksum(table('orders', 'ER', { servers, differences: [{ ...part, rowCount: 1, rows }] }))
    expect(found?.servers.map(({ name, verdict }) => [name, verdict])).to.deep.equal([['db2:3306', 'different']])
    expect(found?.parts).to.deep.equal([
      { ...part, rowCount: 1, rows: [{ kind: 'missing', key: 'id 1207, shop NULL' }] },
    ])
  })

  it('does not count rows where too many differ to be listed', () => {
    const found = readChecksum(table('orders', 'ER', { servers, differences: [{ ...part, rows: [] }] }))
    expect(found?.parts[0]).not.to.have.property('rowCount')
  })

  it('is none of a reply that names no table', () => {
    expect(readChecksum(undefined)).to.equal(undefined)
    expect(readChecksum({ differences: [part] })).to.equal(undefined)
  })
})

describe('a scan of the schema', () => {
  const change = { schema: 'shop', table: 'orders', kind: 'altered', lines: ['-a', '+b'] }

  it('has changes newest first, and differences by the name of their server', () => {
    const report = readSchemaReport({
      ...{ at: 9, primary: 'db1', tables: 3, unread: ['db3 did not answer'] },
      changes: [
        { ...change, at: 1 },
        { ...change, kind: 'dropped', at: 2 },
      ],
      differences: [{ ...change, server: 'db2', name: 'db2:3306' }],
    })
    expect(report.changes.map(({ at, kind }) => [at, kind])).to.deep.equal([
      [2, 'dropped'],
      [1, 'altered'],
    ])
    expect(report.differences[0]).to.deep.equal({ ...change, server: 'db2:3306' })
    expect(report).to.deep.include({ at: 9, tables: 3, unread: ['db3 did not answer'] })
  })

  it('that was never made has no time', () => {
    const none = { tables: 0, unread: [], changes: [], differences: [] }
    expect(readSchemaReport({ ...none })).to.deep.equal(none)
    expect(readSchemaReport(undefined)).to.deep.equal(none)
  })

  it('leaves out what has no name or another kind', () => {
    expect(readSchemaReport({ changes: [{ ...change, kind: 'moved' }, { at: 1 }] }).changes).to.deep.equal([])
  })
})
