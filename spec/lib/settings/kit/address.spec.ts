import { expect } from 'chai'
import { isAddressPair, splitAddress, statedAddress } from '../../../../lib/settings/kit/address.js'

describe('splitAddress', () => {
  for (const [text, address] of [
    ['db1', { host: 'db1', port: 3306 }],
    [' db1:3307 ', { host: 'db1', port: 3307 }],
    ['[::1]', { host: '::1', port: 3306 }],
    ['[fe80::1%eth0]:4000', { host: 'fe80::1%eth0', port: 4000 }],
    ['db_1.example.org.', { host: 'db_1.example.org.', port: 3306 }],
    ['127.0.0.1:99999', undefined],
    ['[127.0.0.1:99999]', undefined],
    ['300.1.1.1', undefined],
    ['10.0.1', undefined],
    [`${'x'.repeat(64)}.example.org`, undefined],
    ['-oProxyCommand=id', undefined],
    ['db1:', undefined],
    ['db1:0', undefined],
    [':3306', undefined],
    ['a:b', undefined],
    ['', undefined],
    ['__proto__', undefined],
    ['constructor:3306', undefined],
    ['toString', undefined],
    ['prototype', undefined],
    ['CON', undefined],
    ['nul.:3306', undefined],
    ['com1', undefined],
    ['com1.example.org', { host: 'com1.example.org', port: 3306 }],
    ['console', { host: 'console', port: 3306 }],
  ] as const)
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(address)}`, () => {
      expect(splitAddress(text)).to.deep.equal(address)
    })

  it('fills in another port where one is given', () => {
    expect(splitAddress('proxy', 6032)).to.deep.equal({ host: 'proxy', port: 6032 })
  })
})

describe('statedAddress', () => {
  const pairs = ['db1=10.1.0.1', 'DB2:3307=[fd00::2]:3306', 'db2 = 10.1.0.2']
  for (const [host, port, address] of [
    ['db1', 3306, { host: '10.1.0.1', port: 3306 }],
    ['db1', 4000, { host: '10.1.0.1', port: 4000 }],
    ['db2', 3307, { host: 'fd00::2', port: 3306 }],
    ['db2', 3306, { host: '10.1.0.2', port: 3306 }],
    ['db3', 3306, undefined],
  ] as const)
    it(`of ${host}:${port} is ${address ? `${address.host} ${address.port}` : 'none'}`, () => {
      expect(statedAddress(pairs, { host, port })).to.deep.equal(address)
    })

  it('is read of pairs only', () => {
    expect(['db1=10.1.0.1', 'db1:1=a:2', '[::1]=[::2]:1'].map(isAddressPair)).to.deep.equal([true, true, true])
    expect(['db1', 'db1=', '=a', 'a=b=c', 'a:0=b', 'a=300.1.1.1'].filter(isAddressPair)).to.deep.equal([])
  })
})
