import { expect } from 'chai'
import { filterForms, LONGEST_FILTER, parseFilter } from '../../../../lib/model/fleet/filter.js'
import { fleetRowOf } from '../../../support/http/fleet-rows.js'

const fleet = [
  fleetRowOf('shop', { tags: ['prod', 'eu-west'], primary: 'db1', wps: 1200 }),
  fleetRowOf('shop-test', {
    tags: ['test'],
    primary: 'db7',
    state: 'degraded',
    lag: 12,
    warnings: 2,
    worst: 'WARN0060',
  }),
  fleetRowOf('mail', { state: 'down', errors: 2, worst: 'ERR00012', up: 1, lag: null, loss: null, primary: '' }),
  fleetRowOf('users', { op: 'switchover', loss: 3, semi: 'off', mode: 'manual', flags: ['paused'] }),
]

const found = (filter: string): string => {
  const parsed = parseFilter(filter)
  return parsed.ok
    ? fleet
        .filter(parsed.matches)
        .map(({ name }) => name)
        .join(' ')
    : `${parsed.fault.at}: ${parsed.fault.message}`
}

describe('parseFilter', () => {
  for (const [filter, names] of [
    ['', 'shop shop-test mail users'],
    ['   ', 'shop shop-test mail users'],
    ['SHOP', 'shop shop-test'],
    ['shop -test', 'shop'],
    ['db7', 'shop-test'],
    ['eu-w', 'shop'],
    ['state:down', 'mail'],
    ['state:down,degraded', 'shop-test mail'],
    ['-state:healthy', 'shop-test mail'],
    ['lag>5', 'shop-test'],
    ['lag>=0', 'shop shop-test users'],
    ['-lag<5', 'shop-test mail'],
    ['errors>0', 'mail'],
    ['down=2', 'mail'],
    ['wps>=1000', 'shop'],
    ['tag:prod', 'shop'],
    ['tag:PROD,test', 'shop shop-test'],
    ['has:op', 'users'],
    ['has:loss', 'users'],
    ['has:paused', 'users'],
    ['-has:tags', 'mail users'],
    ['code:WARN0060', 'shop-test'],
    ['code:err', 'mail'],
    ['op:switchover', 'users'],
    ['mode:manual', 'users'],
    ['semi:off', 'users'],
    ['topology:master-slave lag>5', 'shop-test'],
    ['primary:db1', 'shop users'],
    ['localhost:3306', ''],
  ] as const)
    it(`selects by ${JSON.stringify(filter)}`, () => {
      expect(found(filter)).to.equal(names)
    })

  for (const [filter, said] of [
    ['shop state:well', '5: state:well: unknown: well; known: down, broken, unknown, degraded, healthy'],
    ['stat:down', '0: stat:down: unknown: stat; known: state, tag'],
    ['lag>many', '0: lag>many: a number is expected after >'],
    ['lag>', '0: lag>: a number is expected after >'],
    ['name>5', '0: name>5: name is no number of a cluster; known: lag, loss'],
    ['tag:', '0: tag:: a value is missing after the colon'],
    ['has:nothing', '0: has:nothing: unknown: nothing; known: op, errors'],
    ['  -semi:maybe', '2: -semi:maybe: unknown: maybe; known: on, off, none'],
  ] as const)
    it(`says what is wrong with ${filter}, and where`, () => {
      expect(found(filter)).to.contain(said)
    })

  it('is bounded', () => {
    expect(found('a'.repeat(LONGEST_FILTER + 1))).to.contain('longer than')
    expect(found('a '.repeat(51))).to.equal('100: more than 50 terms')
  })

  it('understands every example of its help', () => {
    for (const [, example] of filterForms) expect(parseFilter(example)).to.include({ ok: true })
  })
})
