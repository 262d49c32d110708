// The exit statuses of the client that no command has for itself.
import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import { versionText } from '../../../lib/base/package-root.js'
import { CliWorld } from '../../support/http/cli-world.js'
import { startTestGateway } from '../../support/http/test-gateway.js'
import { makeAuthority } from '../../support/machine/authority.js'
import { freePorts } from '../../support/machine/ports.js'

const KNOWN = ['switchover', 'failover', 'explain', 'topology', 'status', 'show', 'events', 'bootstrap', 'api']

describe('manager-cli: exit status', () => {
  const world = CliWorld.forSuite()

  for (const words of [
    [],
    ['moon'],
    ['topology', '--moon'],
    ['--port', 'http', 'topology'],
    ['--output', 'xml', 'topology'],
    ['topology', '--watch', '--interval', 'compress'],
    ['completion', 'csh'],
    ['bootstrap', '--topology', 'ring-of-fire'],
  ])
    it(`is 2 for "${words.join(' ')}"`, async () => {
      expect((await world.client.run(...words)).status).to.equal(2)
    })

  it('is 2 for a wrong variable', async () => {
    expect((await world.as('admin', 'repman', { MANAGER_PORT: '99999' }).run('topology')).status).to.equal(2)
  })

  it('is 9 where nothing listens', async () => {
    const [port = 0] = await freePorts(1)
    expect((await world.client.run('--port', String(port), 'topology')).status).to.equal(9)
  })

  it('is 0 for the CA that signed the certificate, 9 for another one, 2 for a file that is not there', async () => {
    const [authority, other] = [await makeAuthority(), await makeAuthority()]
    const certificate = await authority.issue('IP:127.0.0.1')
    const secure = await startTestGateway({ manager: world.face, routes, certificate })
    const port = String(secure.gateway.apiPort)
    const statusFor = async (file: string) =>
      (await world.client.run('--port', port, '--cacert', file, 'topology')).status
    const statuses = [await statusFor(authority.caFile), await statusFor(other.caFile), await statusFor('/no/ca.pem')]
    await secure.close()
    expect(statuses).to.deep.equal([0, 9, 2])
  })

  it('is 0 for --help, which lists commands and statuses, and for --version', async () => {
    const { status, stdout } = await world.client.run('--help')
    expect(status).to.equal(0)
    for (const command of KNOWN) expect(stdout).to.match(new RegExp(`^  ${command} `, 'm'))
    expect(stdout).to.contain('Exit status:').and.contain('130  interrupted')
    expect((await world.client.run('--version')).stdout).to.equal(`${versionText()}\n`)
  })
})

describe('manager-cli: as a process', () => {
  const world = CliWorld.forSuite()

  for (const words of [['topology', '--output', 'json'], ['topology', '--cluster', 'moon'], ['moon']])
    it(`prints and ends as in this process for "${words.join(' ')}"`, async () => {
      expect(await world.client.spawn(...words)).to.deep.equal(await world.client.run(...words))
    })
})
