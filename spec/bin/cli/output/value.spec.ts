import { expect } from 'chai'
import { renderValue } from '../../../../bin/cli/output/value.js'

const lines = (value: unknown, view = {}): readonly string[] => renderValue(value, { width: 80, ...view }).split('\n')

describe('renderValue', () => {
  it('titles columns with the words of their names', () => {
    expect(lines([{ variableName: 'PORT', value: '3306' }])).to.deep.equal([
      'VARIABLE NAME  VALUE',
      'PORT           3306',
    ])
  })

  it('shows the fields that are chosen, by path and under their titles', () => {
    const columns = ['name', ['before.value', 'before'], ['after.value', 'after']] as const
    const change = { id: 3, name: 'failover-limit', before: { value: 5 }, after: { value: 3 } }
    expect(lines([change], { columns })).to.deep.equal(['NAME            BEFORE  AFTER', 'failover-limit  5       3'])
  })

  it('keeps the end of sets of transactions where there is no room for all of them', () => {
    const gtid = `${'9'.repeat(8)}-1111-2222-3333-${'9'.repeat(12)}:1-4711`
    const columns = ['name', ['FailoverIOGtid', 'gtid'], 'state'] as const
    const [, line] = lines([{ name: 'db1', FailoverIOGtid: gtid, state: 'up' }], { columns, width: 30 })
    expect(line).to.match(/^db1 +….*:1-4711 +up$/)
  })

  it('shows moments as dates, whatever counts them, and none as never', () => {
    const columns = [['UnixTimestamp', 'since'], 'at', 'expiresAt'] as const
    expect(
      lines([{ UnixTimestamp: 1795336196, at: 0, expiresAt: '2027-03-21T08:00:00.123Z' }], { columns })[1],
    ).to.equal('2026-11-22T08:29:56Z  never  2027-03-21T08:00:00Z')
  })

  it('shows milliseconds of fields that hold a moment as dates, and other numbers of such fields as they are', () => {
    const server = { since: 1795446400000, replayedTo: 1795446299000, readyAt: 1795446500123, backup: 1795246812 }
    expect(lines([server], { width: 200 })[1]).to.equal(
      '2026-11-23T15:06:40Z  2026-11-23T15:04:59Z  2026-11-23T15:08:20Z  1795246812',
    )
    expect(lines([{ since: 12, upTo: '0-1-93' }])[1]).to.equal('12     0-1-93')
  })

  it('names the members of a list by their addresses', () => {
    const proxy = {
      host: 'lb1',
      backends: [
        { host: 'db1', port: '3306', status: 'UP' },
        { host: 'db2', port: 3306 },
      ],
    }
    expect(lines([proxy])[1]).to.equal('lb1   db1:3306, db2:3306')
  })

  it('shows few entries with many fields one below the other, and many as a table', () => {
    const wide = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, index]))
    expect(lines([wide, wide])).to.have.lengthOf(41)
    expect(lines(Array.from({ length: 9 }, () => wide)).at(-1)).to.match(
      /^Not shown \(terminal too narrow\): |field19$/,
    )
  })

  it('says how many fields of an object are not shown', () => {
    expect(
      lines({ name: 'demo', tenant: 'default', config: {}, log: {} }, { columns: ['name', 'tenant'] }),
    ).to.deep.equal(['name    demo', 'tenant  default', '… and 2 more fields: --output json shows them all.'])
  })
})
