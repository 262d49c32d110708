// MaxScale over TLS: whose certificate is taken, and what is said of any other.
import { copyFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { createMaxscale, type MaxscaleConfig } from '../../../../lib/proxy/maxscale/index.js'
import type { RestTls } from '../../../../lib/proxy/maxscale/wire.js'
import { type Authority, makeAuthority } from '../../../support/machine/authority.js'
import { type MaxscaleStandIn, startMaxscale } from '../../../support/proxies/maxscale.js'

const login = { user: 'admin', password: 'mariadb' }
const servers = { db1: { address: '10.0.0.1', port: 3306 }, db2: { address: '10.0.0.2', port: 3306 } }

describe('MaxScale over TLS', () => {
  let authority: Authority
  let standIn: MaxscaleStandIn
  let elsewhere: MaxscaleStandIn
  let config: MaxscaleConfig

  before(async () => {
    authority = await makeAuthority()
    standIn = await startMaxscale({ ...login, servers, tls: await authority.issue('IP:127.0.0.1') })
    elsewhere = await startMaxscale({ ...login, servers, tls: await authority.issue('DNS:lb2') })
    config = {
      ...{ id: 'px1', name: 'lb1', host: '127.0.0.1', port: standIn.port, ...login, timeoutMs: 20_000, patienceMs: 0 },
      rules: { own: false, byPort: true },
    }
  })
  after(async () => {
    await standIn?.stop()
    await elsewhere?.stop()
  })

  const proxy = (tls: Partial<RestTls> | undefined, change: Partial<MaxscaleConfig> = {}) => {
    const trust = tls ? { tls: { caFile: authority.caFile, verify: true, ...tls } } : {}
    return createMaxscale({ ...config, ...trust, ...change })
  }
  const read = (tls: Partial<RestTls> | undefined, change?: Partial<MaxscaleConfig>) =>
    proxy(tls, change).read(AbortSignal.timeout(30_000))

  it('is read and configured where its certificate is of the authority and of the host', async () => {
    expect(await read({})).to.include({ alive: true, version: '23.08.5' })
    standIn.monitorFinds('db1')
    const primary = { id: 'db1', host: '10.0.0.1', port: 3306 }
    const readers = [
      { ...primary, state: 'drain' },
      { id: 'db2', host: '10.0.0.2', port: 3306, state: 'maint' },
    ] as const
    unwrap(await proxy({}).apply({ primary, readers }, AbortSignal.timeout(30_000)))
    expect(standIn.state('db2')).to.match(/Maintenance/)
  })

  it('is taken by any certificate where none is checked', async () => {
    expect(await read({ caFile: '', verify: false }, { port: elsewhere.port })).to.include({ alive: true })
  })

  for (const [what, reason, tls] of [
    ['an unknown authority', /certificate/, { caFile: '' }],
    ['a CA file that there is not', /^maxscale-tls-ca-cert cannot be read: ENOENT/, { caFile: '/nowhere/ca.pem' }],
    ['no TLS where it wants it', /socket hang up|ECONNRESET|400|Parse Error/, undefined],
  ] as const)
    it(`is not alive, and says why, with ${what}`, async () => {
      const { alive, error } = await read(tls)
      expect(alive).to.equal(false)
      expect(error).to.match(reason)
      expect(error).to.not.contain(login.password)
    })

  it('is not alive, and says why, with a certificate of another host', async () => {
    const { alive, error } = await read({}, { port: elsewhere.port })
    expect(alive).to.equal(false)
    expect(error).to.match(/IP: 127\.0\.0\.1 is not in the cert's list/)
  })

  it('is not alive, and says why, with a CA file that holds none', async () => {
    const caFile = path.join(path.dirname(authority.caFile), 'empty.pem')
    await writeFile(caFile, 'nothing\n')
    expect((await read({ caFile })).error).to.match(/empty\.pem is not a PEM certificate/)
  })

  it('takes a renewed authority at once', async () => {
    const caFile = path.join(path.dirname(authority.caFile), 'renewed.pem')
    const other = await makeAuthority()
    await copyFile(other.caFile, caFile)
    const renewed = proxy({ caFile })
    expect((await renewed.read(AbortSignal.timeout(30_000))).alive).to.equal(false)
    await copyFile(authority.caFile, caFile)
    expect((await renewed.read(AbortSignal.timeout(30_000))).alive).to.equal(true)
  })
})
