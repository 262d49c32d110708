import { expect } from 'chai'
import { codes, cron, hosts, list, shares } from '../../../../lib/settings/kit/list-shape.js'
import type { Shape } from '../../../../lib/settings/kit/shape.js'

const read = <T>(shape: Shape<T>, input: unknown): T | 'refused' => {
  const value = shape.parse(input)
  return value.ok ? value.value : 'refused'
}

describe('list', () => {
  it('splits at commas and drops blanks and empty words', () => {
    expect(read(list(), ' a, b,,c ')).to.deep.equal(['a', 'b', 'c'])
  })

  it('takes an array of TOML, but no word with a comma in it', () => {
    expect([read(list(), ['a', 4]), read(list(), ['a,b'])]).to.deep.equal([['a', '4'], 'refused'])
  })
})

describe('hosts', () => {
  for (const [input, value] of [
    ['db1, db2:3307', ['db1', 'db2:3307']],
    ['[::1]:3306', ['[::1]:3306']],
    ['', []],
    ['db1:0', 'refused'],
    ['db1:65536', 'refused'],
    ['::1', 'refused'],
    ['-x', 'refused'],
    ['http://db1', 'refused'],
    ['db 1', 'refused'],
  ] as const)
    it(`reads ${JSON.stringify(input)} as ${JSON.stringify(value)}`, () => {
      expect(read(hosts(), input)).to.deep.equal(value)
    })

  it('names the host that is wrong', () => {
    const refused = hosts().parse('db1,db2:99999')
    expect(!refused.ok && refused.failure.message).to.match(/^db2:99999 is not a host; allowed: /)
  })
})

describe('codes', () => {
  it('takes codes of findings only', () => {
    expect([read(codes(), 'ERR00027,WARN0048'), read(codes(), 'ERR1')]).to.deep.equal([
      ['ERR00027', 'WARN0048'],
      'refused',
    ])
  })
})

describe('shares', () => {
  for (const [input, value] of [
    ['innodb:60, aria:10', { innodb: 60, aria: 10 }],
    ['innodb:101', 'refused'],
    ['innodb', 'refused'],
    ['innodb:1,innodb:2', 'refused'],
  ] as const)
    it(`reads ${input} as ${JSON.stringify(value)}`, () => {
      expect(read(shares(), input)).to.deep.equal(value)
    })
})

describe('cron', () => {
  for (const [input, value] of [
    ['0 0 1 * * 6', '0 0 1 * * 6'],
    ['0  0/10 * * * *', '0 0/10 * * * *'],
    ['@every 1h30m', '@every 1h30m'],
    ['0 1 * * 6', 'refused'],
    ['@every', 'refused'],
    ['@reboot', 'refused'],
    ['61 0 0 * * *', 'refused'],
    ['2030-01-01T00:00:00', 'refused'],
  ] as const)
    it(`reads ${input} as ${value}`, () => {
      expect(read(cron(), input)).to.equal(value)
    })
})
