// Ranges that hold every address.
import { expect } from 'chai'
import { coveredFamilies } from '../../../lib/access/coverage.js'

describe('coveredFamilies', () => {
  for (const [ranges, families] of [
    ['0.0.0.0/0', ['IPv4']],
    ['::/0', ['IPv6']],
    ['0.0.0.0/0,::/0', ['IPv4', 'IPv6']],
    ['0.0.0.0/1,128.0.0.0/1', ['IPv4']],
    ['128.0.0.0/1,64.0.0.0/2,0.0.0.0/2', ['IPv4']],
    ['128.0.0.0/2,192.0.0.0/3,1.0.0.0/8,2.0.0.0/7,4.0.0.0/6,8.0.0.0/5,16.0.0.0/4,32.0.0.0/3,64.0.0.0/2', ['IPv4']],
    ['2000::/3', ['IPv6']],
    ['2000::/4,3000::/4', ['IPv6']],
    ['::ffff:1.2.3.4/0', ['IPv6']],
    ['', []],
    ['0.0.0.0/1', []],
    ['0.0.0.0/1,128.0.0.0/2', []],
    ['10.0.0.0/8,192.168.0.0/16,127.0.0.1', []],
    ['fd00::/8,::1', []],
    ['2000::/4', []],
  ] as const)
    it(`are ${families.join(' and ') || 'none'} of ${ranges || 'no range'}`, () => {
      expect(coveredFamilies(ranges.split(',').filter(Boolean))).to.deep.equal(families)
    })
})
