import { expect } from 'chai'
import { checkQuery, queryValue } from '../../../../bin/cli/output/query.js'

const value = {
  name: 'shop',
  'odd name': 1,
  servers: [
    { host: 'db1', port: '3306', state: 'Master', lag: null, tags: ['a', 'b'] },
    { host: 'db2', port: '3307', state: 'Slave', lag: 3, tags: [] },
    { host: 'db10', port: '3308', state: 'Slave', lag: 12, tags: ['c'] },
  ],
}

describe('queryValue', () => {
  for (const [expression, wanted] of [
    ['name', 'shop'],
    ['"odd name"', 1],
    ['servers[0].host', 'db1'],
    ['servers[-1].host', 'db10'],
    ['servers[].host', ['db1', 'db2', 'db10']],
    ['servers[].tags[]', ['a', 'b', 'c']],
    ["servers[?state=='Slave'].host", ['db2', 'db10']],
    ['servers[? lag > `3` ].host', ['db10']],
    ['servers[?lag].host', ['db2', 'db10']],
    ["servers[?contains(host, '1')].host", ['db1', 'db10']],
    ["servers[?host!='db1'] | [0].host", 'db2'],
    ['servers[].{host: host, at: port}', value.servers.map(({ host, port }) => ({ host, at: port }))],
    ['length(servers)', 3],
    ['servers | length(@)', 3],
    ['keys(servers[0])', ['host', 'port', 'state', 'lag', 'tags']],
    ['nothing.here', null],
    ['servers[9].host', null],
  ] as const)
    it(`selects by ${expression}`, () => expect(queryValue(value, expression)).to.deep.equal(wanted))

  it('names what a function cannot take', () => {
    expect(() => queryValue(value, 'sum(@)'))
      .to.throw(/^invalid --query "sum\(@\)": /)
      .that.has.property('status', 2)
  })
})

describe('checkQuery', () => {
  for (const expression of ['servers[', 'a..b', 'a b', "[?a=='x]", '{a', ''])
    it(`refuses "${expression}"`, () => {
      expect(() => checkQuery(expression))
        .to.throw('invalid --query')
        .that.has.property('status', 2)
    })

  it('takes what is well formed', () => expect(checkQuery('[].host')).to.equal('[].host'))
})
