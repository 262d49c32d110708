import { expect } from 'chai'
import { parseQuery, queryValue } from '../../../../bin/cli/output/query.js'

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
  for (const [path, wanted] of [
    ['name', 'shop'],
    ['"odd name"', 1],
    ['servers[0].host', 'db1'],
    ['servers[-1].host', 'db10'],
    ['servers[].host', ['db1', 'db2', 'db10']],
    ['servers[*].host', ['db1', 'db2', 'db10']],
    ['servers[].tags[]', ['a', 'b', 'c']],
    ["servers[?state=='Slave'].host", ['db2', 'db10']],
    ['servers[? lag > 3 ].host', ['db10']],
    ['servers[?lag<=3].host', ['db2']],
    ['servers[?lag].host', ['db2', 'db10']],
    ['servers[?port==3306].host', ['db1']],
    ["servers[?host~'1'].host", ['db1', 'db10']],
    ["servers[?host!='db1'] | [0].host", 'db2'],
    ['servers[].{host, at: port}', value.servers.map(({ host, port }) => ({ host, at: port }))],
    ['{name, first: servers[0].host}', { name: 'shop', first: 'db1' }],
    ['servers | length()', 3],
    ['servers.length()', 3],
    ['servers[].lag | sort()', [null, 3, 12]],
    ['servers[0] | keys()', ['host', 'port', 'state', 'lag', 'tags']],
    ['nothing.here', null],
    ['servers[9].host', null],
    ['constructor', null],
  ] as const)
    it(`leads by ${path}`, () => expect(queryValue(value, path)).to.deep.equal(wanted))

  it('filters entries that are no objects', () => {
    expect(queryValue([3, 20, 100], '[?>=20]')).to.deep.equal([20, 100])
  })
})

describe('parseQuery', () => {
  for (const [path, wrong] of [
    ['servers[', 'a number, ? or ] was to come at its end'],
    ['a..b', 'a name was to come at ".b"'],
    ['a b', 'something else was to come at "b"'],
    ['sum()', 'there is no sum() at its end'],
    ["[?a=='x]", "a text in '', a number, true, false or null was to come"],
    ['{a', '} was to come at its end'],
    ['', 'a name was to come at its end'],
  ] as const)
    it(`says what is wrong with "${path}"`, () => {
      expect(() => parseQuery(path))
        .to.throw(wrong)
        .that.has.property('status', 2)
    })
})
