// What a discovery finds on a server beside its tags, and how long it holds.
import { expect } from 'chai'
import { findValues, stillFound, withFound } from '../../../../lib/configure/index.js'

describe('findValues', () => {
  const shown = (variables: Record<string, string>, file: readonly string[] = []) => ({
    ...{ variables, plugins: [] },
    origins: Object.fromEntries(file.map((name) => [name, { from: 'file' as const }])),
  })

  it('takes what differs from the tags, and what an option file set beside them, but no place of a file', () => {
    const server = shown({ a: '2', b: '1', innodb_io_capacity: '900', datadir: '/srv', untouched: '1' }, [
      'innodb_io_capacity',
      'datadir',
    ])
    const expected = new Map(Object.entries({ a: '1', b: '1' }))
    const found = findValues({ expected, server })
    expect(found).to.deep.equal({
      a: { value: '2', expected: '1' },
      innodb_io_capacity: { value: '900', expected: '(not set)' },
    })
    expect(Object.fromEntries(withFound(expected, found))).to.deep.equal({ a: '2', b: '1', innodb_io_capacity: '900' })
  })

  it('takes no position of replication for configuration, nor keeps one that an earlier release took', () => {
    const server = shown({ gtid_slave_pos: '0-1-7', gtid_strict_mode: 'ON' }, ['gtid_slave_pos', 'gtid_strict_mode'])
    expect(Object.keys(findValues({ expected: new Map(), server }))).to.deep.equal(['gtid_strict_mode'])
    const kept = { gtid_slave_pos: { value: '0-1-7', expected: '(not set)' } }
    expect(stillFound(kept, new Map())).to.deep.equal({})
  })

  it('holds until the tags give another value', () => {
    const found = { a: { value: '2', expected: '1' }, c: { value: '9', expected: '(not set)' } }
    expect(stillFound(found, new Map([['a', '1']]))).to.deep.equal(found)
    expect(stillFound(found, new Map(Object.entries({ a: '3', c: '4' })))).to.deep.equal({})
  })
})
