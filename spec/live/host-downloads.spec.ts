// How the scripts of hosts reach a manager that wants a login or a token, or that they must be able to trust.
import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { HostRoot } from '../support/hosts/host-root.js'
import { type ScriptRuns, serveScripts } from '../support/hosts/script-runs.js'
import { type Authority, makeAuthority } from '../support/machine/authority.js'
import { ManagerProcess } from '../support/manager/manager-process.js'

const hand = '[mysqld]\nmax_connections = 17\n'

describe('the scripts of hosts, before a manager that is locked', () => {
  let manager: ManagerProcess
  let ports: readonly number[]
  let host: HostRoot
  let runs: ScriptRuns

  before(async function () {
    const served = await serveScripts(
      { safe: { 'api-credentials-secure-config': true }, once: { 'api-config-download-tokens': true } },
      login,
    )
    if (!served) return this.skip()
    ;({ manager, runs, ports } = served)
  })
  after(() => manager?.destroy())
  beforeEach(async () => {
    host = await HostRoot.create()
    runs.host = host
    await host.lookInstalled()
    host.write('/etc/mysql/my.cnf', hand)
  })
  afterEach(() => host?.end())

  const login = async (from = manager): Promise<string> => {
    const { body } = await from.post('/api/login', { username: 'admin', password: 'spec-password' })
    return (JSON.parse(body) as { token: string }).token
  }
  const fetched = () => host.exists('/etc/mysql/my.cnf.new')

  describe('where downloads need a login', () => {
    const safe = (more: Record<string, string>) => ({
      MANAGER_SECONDS: '1',
      ...more,
    })

    for (const client of ['curl', 'wget'])
      it(`logs in by ${client}, and only with the right password`, async () => {
        if (client === 'wget') await host.outputOf('rm /usr/bin/curl')
        await runs.stops('debian-start', /wants a login: set MANAGER_USER and MANAGER_PASSWORD/, safe({}))
        const wrong = { MANAGER_USER: 'admin', MANAGER_PASSWORD: 'wrong\\"' }
        await runs.stops(
          'debian-start',
          /refuses the login of admin: MANAGER_USER or MANAGER_PASSWORD is wrong/,
          safe(wrong),
        )
        expect(fetched()).to.equal(false)
        await runs.run('debian-start', safe({ MANAGER_USER: 'admin', MANAGER_PASSWORD: 'spec-password' }))
        expect(fetched()).to.equal(true)
      })

    it('takes a token in place of a login', async () => {
      await runs.stops('debian-start', /refuses the token for /, safe({ MANAGER_TOKEN: 'nonsense' }))
      await runs.run('debian-start', safe({ MANAGER_TOKEN: await login() }))
      expect(fetched()).to.equal(true)
    })

    it('takes a one-time token, once', async () => {
      const made = await manager.post(`/api/clusters/once/servers/127.0.0.1:${ports[1]}/actions/bootstrap-token`)
      const { token } = JSON.parse(made.body) as { token: string }
      const env = {
        ...runs.environment({ cluster: 'once', port: ports[1] }),
        MANAGER_SECONDS: '1',
        MANAGER_TOKEN: token,
      }
      await runs.run('debian-start', env)
      expect(fetched()).to.equal(true)
      await runs.stops('debian-start', /refuses the token for .*: is it spent or expired/, env)
    })
  })

  describe('over TLS', () => {
    let authority: Authority
    let other: Authority
    let certificate: string
    let sealed: ManagerProcess
    before(async () => {
      ;[authority, other] = await Promise.all([makeAuthority(), makeAuthority()])
      const pair = await authority.issue('IP:127.0.0.1')
      certificate = pair.cert
      sealed = await ManagerProcess.create({
        settings: { 'monitoring-ssl-cert': pair.certFile, 'monitoring-ssl-key': pair.keyFile },
        clusters: { shop: { 'db-servers-hosts': `127.0.0.1:${ports[0]}` } },
      })
      sealed.start()
      await sealed.alive()
    })
    after(() => sealed?.destroy())
    beforeEach(() => {
      host.write('/root/ca.pem', readFileSync(authority.caFile, 'utf8'))
      host.write('/root/other.pem', readFileSync(other.caFile, 'utf8'))
    })
    const secure = (more: Record<string, string>) => ({
      ...runs.environment({ cluster: 'shop', port: ports[0] }),
      MANAGER_URL: `https://127.0.0.1:${sealed.apiPort}`,
      MANAGER_SECONDS: '1',
      ...more,
    })

    for (const client of ['curl', 'wget'])
      it(`believes by ${client} only whom the named authority signed`, async () => {
        if (client === 'wget') await host.outputOf('rm /usr/bin/curl')
        await runs.stops('debian-start', /cannot be trusted: /, secure({}))
        await runs.stops('debian-start', /cannot be trusted: /, secure({ MANAGER_CA_FILE: '/root/other.pem' }))
        await runs.stops(
          'debian-start',
          /MANAGER_CA_FILE \/root\/none cannot be read/,
          secure({ MANAGER_CA_FILE: '/root/none' }),
        )
        const elsewhere = `https://localhost:${sealed.apiPort}`
        await runs.stops(
          'debian-start',
          /cannot be trusted: /,
          secure({ MANAGER_CA_FILE: '/root/ca.pem', MANAGER_URL: elsewhere }),
        )
        expect(fetched()).to.equal(false)
        await runs.run('debian-start', secure({ MANAGER_CA_FILE: '/root/ca.pem' }))
        expect(fetched()).to.equal(true)
      })

    for (const client of ['curl', 'wget'])
      it(`believes by ${client} a pinned certificate or key, and no other`, async () => {
        if (client === 'wget') await host.outputOf('rm /usr/bin/curl')
        const leaf = new X509Certificate(certificate)
        const key = createHash('sha256').update(leaf.publicKey.export({ type: 'spki', format: 'der' }))
        const pin = `sha256//${key.digest('base64')}`
        const wrong = leaf.fingerprint256.replace(/../, (byte) => (byte === '00' ? '01' : '00'))
        await runs.stops('debian-start', /has another fingerprint/, secure({ MANAGER_FINGERPRINT: wrong }))
        const wrongPin = `sha256//${'B'.repeat(43)}=`
        await runs.stops('debian-start', /cannot be trusted: /, secure({ MANAGER_FINGERPRINT: wrongPin }))
        await runs.stops('debian-start', /is not encrypted/, { MANAGER_FINGERPRINT: leaf.fingerprint256 })
        expect(fetched()).to.equal(false)
        for (const fingerprint of [leaf.fingerprint256, pin]) {
          const away = secure({ MANAGER_FINGERPRINT: fingerprint, MANAGER_URL: 'https://127.0.0.1:1' })
          expect((await runs.run('debian-start', away)).output).to.contain('the files on disk are used')
          await host.outputOf('rm -f /etc/mysql/my.cnf.new')
          await runs.run('debian-start', secure({ MANAGER_FINGERPRINT: fingerprint }))
          expect(fetched(), fingerprint).to.equal(true)
        }
      })
  })
})
