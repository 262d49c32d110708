// `manager login-link`: a link of the machine's own administrator, as a gateway on the same working directory takes it.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect } from 'chai'
import { makeLoginLink } from '../../../bin/daemon/login-link.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { unwrap } from '../../../lib/base/result.js'
import { ground } from '../../support/configuration/configuration.js'
import { Browser } from '../../support/http/browser.js'
import { startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'

describe('makeLoginLink', () => {
  const place = ground('[Default]\napi-public-url = "https://manager.example.com"\n')
  const input = {
    file: path.join(place.directory, 'config.toml'),
    flags: [],
    environment: { MANAGER_MONITORING_DATADIR: place.datadir },
  }
  let test: TestGateway
  before(async () => {
    test = await startTestGateway({ workingDir: place.datadir })
  })
  after(() => test.close())

  it('logs the user in once, at api-public-url', async () => {
    const link = new URL(unwrap(await makeLoginLink('viewer', input)))
    expect(link.origin + link.pathname).to.equal('https://manager.example.com/login')
    const code = link.hash.slice('#code='.length)
    const answers = [await new Browser(test).link(code), await new Browser(test).link(code)]
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 401])
    expect(JSON.parse(answers[0]?.body ?? '{}').user).to.equal('viewer')
  })

  it('is made by the program, whichever of user and configuration comes first', () => {
    const program = path.join(packageRoot, 'bin/manager')
    const environment = { ...process.env, ...input.environment }
    for (const words of [
      ['viewer', '--config', input.file],
      ['--config', input.file, '--log-file=', 'viewer'],
    ])
      expect(execFileSync(program, ['login-link', ...words], { env: environment, encoding: 'utf8' })).to.match(
        /^https:\/\/manager\.example\.com\/login#code=mlc_\S+\n$/,
      )
  })

  it('needs a user, and a configuration that can be read', async () => {
    expect((await makeLoginLink(undefined, input)).ok).to.equal(false)
    expect((await makeLoginLink('viewer', { ...input, flags: ['--no-such-setting=1'] })).ok).to.equal(false)
  })
})
