import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import {
  askNeed,
  type NeedQuery,
  needCookies,
  needsOf,
  serverDirectory,
} from '../../../../actors/manager/delivery/needs.js'
import type { Need } from '../../../../actors/protocol/manager/face.js'
import { setCookie } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('askNeed', () => {
  const ask = (directory: string, need: Need, rest: Partial<NeedQuery> = {}) =>
    askNeed({ directory, need, consume: false, fetchOnStart: true, ...rest })

  for (const [need, cookie] of Object.entries(needCookies) as [Exclude<Need, 'config-fetch'>, never][]) {
    it(`answers yes to ${need} while its flag is set`, async () => {
      const directory = newDirectory('needs')
      expect(await ask(directory, need)).to.equal(false)
      await setCookie(directory, cookie)
      expect([await ask(directory, need), await ask(directory, need)]).to.deep.equal([true, true])
    })

    it(`says ${need} to one of several that ask to act on it`, async () => {
      const directory = newDirectory('needs')
      await setCookie(directory, cookie)
      const asks = [1, 2, 3, 4].map(() => ask(directory, need, { consume: true }))
      expect((await Promise.all(asks)).filter(Boolean)).to.deep.equal([true])
      expect(await ask(directory, need)).to.equal(false)
    })
  }

  it('fetches the configuration as the setting says, and leaves its flag for scripts', async () => {
    const directory = newDirectory('needs')
    const flag = path.join(directory, '@cookie_noconfigfetch')
    expect(await ask(directory, 'config-fetch', { fetchOnStart: false })).to.equal(false)
    expect(existsSync(flag)).to.equal(true)
    expect(await ask(directory, 'config-fetch')).to.equal(true)
    expect(existsSync(flag)).to.equal(false)
  })

  it('answers no for a server without a directory', async () => {
    expect(await ask('/nowhere/at/all', 'restart')).to.equal(false)
    expect(await ask('/nowhere/at/all', 'start', { consume: true })).to.equal(false)
  })
})

describe('serverDirectory', () => {
  it('lies below the cluster, by host and port', () => {
    expect(serverDirectory('/var/lib/manager', 'shop', { host: 'db1', port: 3306 })).to.equal(
      '/var/lib/manager/shop/db1_3306',
    )
  })
})

describe('needsOf', () => {
  it('names the needs that flags stand for, and passes over the others', () => {
    expect(needsOf(['waitstart', 'restart', 'noconfigfetch', 'config'])).to.deep.equal([
      'restart',
      'config-change',
      'start',
    ])
  })
})
