// Sessions with a real gateway: when it logs in, what it keeps, and what it does when it is refused.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { createFleetSession, createSession, type Session } from '../../../http/client/session.js'
import { tokenFile } from '../../../http/client/token-file.js'
import { makeCertificate } from '../../../http/gateway/server/self-signed.js'
import { secret } from '../../../lib/base/secret.js'
import { startTestGateway, type TestGateway, testAccess, testLive } from '../../support/http/test-gateway.js'
import { newDirectory } from '../../support/machine/directories.js'
import { freePorts } from '../../support/machine/ports.js'

describe('createSession', () => {
  const home = process.env.XDG_CONFIG_HOME
  let gateway: TestGateway
  let certificate: Awaited<ReturnType<typeof makeCertificate>>
  let asked = 0

  const session = (password: string | undefined = 'right-password', port = gateway.gateway.apiPort): Session =>
    createSession(
      { host: '127.0.0.1', port, insecure: false },
      {
        user: 'boss',
        password: async () => {
          asked += 1
          return password
        },
      },
    )
  const endpoint = (port: number) => ({ host: '127.0.0.1', port, insecure: false })
  const outcomeOf = async (given: Session, target = '/api/clusters') => {
    const reply = await given.call('GET', target)
    return reply.ok ? `${reply.value.status}` : reply.failure.code
  }
  const logins = () => gateway.logged.filter(({ code }) => code === 'login').length

  before(async () => {
    gateway = await startTestGateway()
    certificate = await makeCertificate(Date.now())
  })
  beforeEach(() => {
    process.env.XDG_CONFIG_HOME = newDirectory('session')
    gateway.logged.length = 0
    asked = 0
  })
  after(async () => {
    if (home === undefined) delete process.env.XDG_CONFIG_HOME
    else process.env.XDG_CONFIG_HOME = home
    await gateway.close()
  })

  it('logs in once for calls that come together', async () => {
    const one = session()
    expect(await Promise.all([outcomeOf(one), outcomeOf(one), outcomeOf(one)])).to.deep.equal(['200', '200', '200'])
    expect([asked, logins()]).to.deep.equal([1, 1])
  })

  it('keeps the token for itself: mode 0600 in a folder of mode 0700', async () => {
    await outcomeOf(session())
    expect((statSync(tokenFile()).mode & 0o777).toString(8)).to.equal('600')
    expect((statSync(path.dirname(tokenFile())).mode & 0o777).toString(8)).to.equal('700')
  })

  it('keeps no token in a folder that others may write to, and logs in each time', async () => {
    mkdirSync(path.dirname(tokenFile()), { recursive: true })
    chmodSync(path.dirname(tokenFile()), 0o777)
    expect([await outcomeOf(session()), await outcomeOf(session())]).to.deep.equal(['200', '200'])
    expect(readdirSync(path.dirname(tokenFile()))).to.deep.equal([])
    expect(logins()).to.equal(2)
  })

  it('sends no token of a file that others may have written', async () => {
    await outcomeOf(session())
    chmodSync(tokenFile(), 0o622)
    await outcomeOf(session())
    expect(logins()).to.equal(2)
    expect((statSync(tokenFile()).mode & 0o777).toString(8)).to.equal('600')
  })

  it('leaves nothing beside the file, and keeps its mode where the umask is wide or narrow', async () => {
    for (const mask of [0o000, 0o022, 0o077]) {
      process.env.XDG_CONFIG_HOME = newDirectory('session')
      const before = process.umask(mask)
      try {
        await outcomeOf(session())
      } finally {
        process.umask(before)
      }
      expect(readdirSync(path.dirname(tokenFile()))).to.deep.equal([path.basename(tokenFile())])
      expect((statSync(tokenFile()).mode & 0o777).toString(8)).to.equal('600')
      expect((statSync(path.dirname(tokenFile())).mode & 0o777).toString(8)).to.equal('700')
    }
  })

  for (const [code, seconds, text] of [
    ['locked-out', '180', 'too many failed logins; wait three minutes'],
    ['login-queue-full', '5', 'too many logins wait for their turn; try again in a few seconds'],
  ] as const)
    it(`says of a 429 what the answer says: ${code}`, async () => {
      const { cert, key } = certificate
      const server = createServer({ cert, key }, (_, response) => {
        response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': seconds })
        response.end(JSON.stringify({ code, status: 429, detail: text }))
      })
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
      const { port } = server.address() as AddressInfo
      const reply = await session('right-password', port).call('GET', '/api/clusters')
      server.close()
      expect(reply).to.deep.equal({
        ok: false,
        failure: { code, message: `the login of boss was refused: ${text}; try again after ${seconds} s` },
      })
    })

  it('narrows a file that others may read when it writes it', async () => {
    mkdirSync(path.dirname(tokenFile()), { recursive: true })
    writeFileSync(tokenFile(), '{"someone@elsewhere:1": "theirs"}', { mode: 0o644 })
    await outcomeOf(session())
    expect((statSync(tokenFile()).mode & 0o777).toString(8)).to.equal('600')
    expect(JSON.parse(readFileSync(tokenFile(), 'utf8'))).to.have.property('someone@elsewhere:1', 'theirs')
  })

  it('asks for no password while the kept token holds', async () => {
    await outcomeOf(session())
    expect(await outcomeOf(session(undefined))).to.equal('200')
    expect([asked, logins()]).to.deep.equal([1, 1])
  })

  it('logs in again, once, when the kept token is refused', async () => {
    await outcomeOf(session())
    gateway.gateway.reconfigure({
      ...testLive,
      access: { ...testAccess, credentials: secret('boss:new-password') },
      tokenHours: 1,
    })
    try {
      const one = session('new-password')
      expect(await Promise.all([outcomeOf(one), outcomeOf(one)])).to.deep.equal(['200', '200'])
      expect(logins()).to.equal(2)
    } finally {
      gateway.gateway.reconfigure({ ...testLive, access: testAccess, tokenHours: 1 })
    }
  })

  it('takes the token that another run has kept since, before it asks for a password', async () => {
    const one = session()
    await outcomeOf(one)
    const access = { ...testAccess, credentials: secret('boss:new-password') }
    gateway.gateway.reconfigure({ ...testLive, access, tokenHours: 1 })
    try {
      await outcomeOf(session('new-password'))
      asked = 0
      expect(await outcomeOf(one)).to.equal('200')
      expect(asked).to.equal(0)
    } finally {
      gateway.gateway.reconfigure({ ...testLive, access: testAccess, tokenHours: 1 })
    }
  })

  it('goes without a kept token when the file is damaged', async () => {
    mkdirSync(path.dirname(tokenFile()), { recursive: true })
    for (const text of ['{"boss', 'null', '[1]', '{"boss@127.0.0.1": 7}']) {
      writeFileSync(tokenFile(), text)
      expect(await outcomeOf(session())).to.equal('200')
    }
  })

  it('goes on where nothing can be kept', async () => {
    process.env.XDG_CONFIG_HOME = '/dev/null/nowhere'
    expect(await outcomeOf(session())).to.equal('200')
  })

  it('reports a wrong password, and that none was given', async () => {
    expect(await outcomeOf(session('wrong'))).to.equal('wrong-credentials')
    const without = createSession(
      { host: '127.0.0.1', port: gateway.gateway.apiPort, insecure: false },
      { user: 'boss', password: async () => undefined },
    )
    expect(await outcomeOf(without)).to.equal('not-logged-in')
  })

  it('goes to the next address when nothing was sent to the first one', async () => {
    const [nobody = 0] = await freePorts(1)
    const fleet = createFleetSession([endpoint(nobody), endpoint(gateway.gateway.apiPort)], {
      user: 'boss',
      password: async () => 'right-password',
    })
    expect(await outcomeOf(fleet)).to.equal('200')
    expect(fleet.endpoint.port).to.equal(gateway.gateway.apiPort)
    const posted = await fleet.call('POST', '/api/clusters/c1/actions/switchover')
    expect(posted.ok && posted.value.status).to.equal(200)
  })

  it('names every address when none answers', async () => {
    const [one = 0, other = 0] = await freePorts(2)
    const fleet = createFleetSession([endpoint(one), endpoint(other)], {
      user: 'boss',
      password: async () => 'right-password',
    })
    const reply = await fleet.call('GET', '/api/clusters')
    expect(reply.ok || reply.failure.code).to.equal('unreachable')
    expect(reply.ok || reply.failure.message)
      .to.contain(`:${one}`)
      .and.to.contain(`:${other}`)
  })

  it('sends a request that may have been carried out to no other address', async () => {
    const { key, cert } = certificate
    const cut = createServer({ key, cert }, ({ socket }) => socket.destroy())
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve))
    const { port } = cut.address() as AddressInfo
    try {
      const fleet = createFleetSession([endpoint(port), endpoint(gateway.gateway.apiPort)], {
        ...{ user: 'boss', password: async () => undefined, token: 'mat_any' },
      })
      const before = gateway.face.asks.length
      const reply = await fleet.call('POST', '/api/clusters/c1/actions/switchover')
      expect(reply.ok).to.equal(false)
      expect(gateway.face.asks.length).to.equal(before)
    } finally {
      cut.close()
    }
  })

  it('sends what is open to all without a login', async () => {
    const reply = await session(undefined).call('GET', '/api/status', { anonymous: true })
    expect(reply.ok && reply.value.status).to.equal(200)
    expect(asked).to.equal(0)
  })

  it('sends a body as JSON', async () => {
    const path = '/api/clusters/c1/actions/switchover'
    gateway.face.asks.length = 0
    await session().call('POST', path, { body: { prefmaster: 'db2' } })
    expect(gateway.face.asks).to.have.length(1)
    expect(gateway.face.asks[0]?.payload).to.deep.include({ candidate: 'db2' })
  })

  it('tries again after a manager that could not be reached', async () => {
    const [port = 0] = await freePorts(1)
    const one = session('right-password', port)
    expect(await outcomeOf(one)).to.equal('unreachable')
    const late = await startTestGateway({ api: { host: '127.0.0.1', port } })
    try {
      expect(await outcomeOf(one)).to.equal('200')
    } finally {
      await late.close()
    }
  })
})
