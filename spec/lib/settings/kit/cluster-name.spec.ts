import { expect } from 'chai'
import { isClusterName } from '../../../../lib/settings/index.js'

describe('isClusterName', () => {
  for (const name of ['shop', 'a', 'Shop-2.eu_west', 'console', 'company', 'default', 'x'.repeat(64)])
    it(`takes ${name.slice(0, 20)}`, () => {
      expect(isClusterName(name)).to.equal(true)
    })
  for (const name of [
    ...[
      '__proto__',
      'Known_hosts.LOG',
      'known_hosts',
      'valueOf',
      'constructor',
      'prototype',
      'toString',
      'CON',
      'con.txt',
      'nul',
      'LPT1',
      'com1',
      'shop.',
      '.shop',
      '..',
    ],
    ...['default.toml', 'security.log', 'known_hosts', 'settings', 'peers', 'a/b', 'x'.repeat(65), ''],
  ])
    it(`refuses ${name.slice(0, 20)}`, () => {
      expect(isClusterName(name)).to.equal(false)
    })
})
