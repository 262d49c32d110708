// Archives of proxies from the pool: deterministic, distinguished from unchanged ones, with certificates where TLS is asked for.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type ArchiveService, createArchiveService, type ProxyArchiveInput } from '../../../actors/archive/index.js'
import { sharePath } from '../../../lib/base/package-root.js'
import { unwrap } from '../../../lib/base/result.js'
import { newDirectory } from '../../support/machine/directories.js'
import { inputFor, proxyFacts } from '../../support/proxies/proxies.js'

describe('buildProxies', () => {
  const services: ArchiveService[] = []
  const open = async () => {
    const workingDir = newDirectory('proxy-archives')
    const service = unwrap(await createArchiveService({ rulesDir: sharePath('rules/database'), workingDir }))
    services.push(service)
    return { service, workingDir }
  }
  after(() => Promise.all(services.map((service) => service.close())))

  const input = (more: Partial<ProxyArchiveInput> = {}): ProxyArchiveInput => ({ ...inputFor('proxysql'), ...more })
  const file = async (service: ArchiveService) => unwrap(await service.file('demo', input().proxy))
  const flag = (workingDir: string, name: string) => existsSync(path.join(workingDir, 'demo/127.0.0.1_1999', name))

  it('gives equal bytes for equal input, builds nothing for unchanged input and everything when forced', async () => {
    const [one, two] = [await open(), await open()]
    expect(unwrap(await one.service.buildProxies([input()]))).to.deep.equal({ built: 1, unchanged: 0 })
    await two.service.buildProxies([input()])
    const [first, second] = [await file(one.service), await file(two.service)]
    expect(first.bytes.equals(second.bytes)).to.equal(true)
    expect(unwrap(await one.service.buildProxies([input()]))).to.deep.equal({ built: 0, unchanged: 1 })
    expect(unwrap(await one.service.buildProxies([input()], { force: true }))).to.deep.equal({ built: 1, unchanged: 0 })
    expect((await file(one.service)).bytes.equals(first.bytes)).to.equal(true)
  })

  it('asks for a restart when another archive takes the place of one, not for the first', async () => {
    const { service, workingDir } = await open()
    await service.buildProxies([input()])
    expect(flag(workingDir, '@cookie_restart')).to.equal(false)
    await service.buildProxies([input({ tags: ['readwritesplit'] })])
    expect([flag(workingDir, '@cookie_restart'), flag(workingDir, '@cookie_config')]).to.deep.equal([true, true])
  })

  it('brings what a client of the databases needs for TLS, and no key of a server', async () => {
    const { service } = await open()
    unwrap(await service.buildProxies([input({ tags: ['ssl'], certificates: { hosts: ['db1'] } })]))
    const names = execFileSync('tar', ['-tzf', (await file(service)).file]).toString()
    expect(names.split('\n').filter((name) => name.includes('ssl/') && !name.endsWith('/'))).to.deep.equal([
      ...['etc/proxysql/ssl/ca-cert.pem', 'etc/proxysql/ssl/client-cert.pem', 'etc/proxysql/ssl/client-key.pem'],
    ])
  })

  it('writes the tree beside it where that is configured', async () => {
    const { service, workingDir } = await open()
    await service.buildProxies([input({ tree: true })])
    expect(flag(workingDir, 'init/etc/proxysql.cnf')).to.equal(true)
  })

  it('names the proxy and the setting where a value is missing, and builds the others', async () => {
    const { service } = await open()
    const other = { ...input().proxy, port: 2000, name: 'lb2' }
    const facts = { ...proxyFacts, monitor: { user: '', password: '' } }
    const result = await service.buildProxies([input(), input({ proxy: other, facts })])
    expect(result.ok ? '' : result.failure.message).to.match(
      /^1 of 2 archives could not be built: demo lb2: .*MONITOR_USER%% has no value: set db-servers-credential/,
    )
    expect((await file(service)).bytes.length).to.be.above(0)
  })
})
