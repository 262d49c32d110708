// Single sign-on with a real provider: who comes in, as whom, and every way back that opens nothing.
import { expect } from 'chai'
import type { Provider } from '../../../../http/gateway/kit/options.js'
import { secret } from '../../../../lib/base/secret.js'
import { startTestGateway, type TestGateway, testAccess, testLive } from '../../../support/http/test-gateway.js'
import { type OidcProvider, type OidcUser, startOidcProvider } from '../../../support/machine/oidc.js'

const REDIRECT = 'http://127.0.0.1:1/api/auth/callback'

describe('single sign-on', () => {
  let user: OidcUser
  let provider: OidcProvider
  let test: TestGateway
  let claim: Provider['claim']

  before(async () => {
    provider = await startOidcProvider(() => user, REDIRECT)
    test = await startTestGateway()
  })
  const configure = () => {
    const { url, clientId, clientSecret } = provider
    test.gateway.reconfigure({
      ...testLive,
      access: { ...testAccess, credentials: secret('ann@example.com:,viewer:see-only'), allow: 'ann@example.com:show' },
      provider: { url, clientId, clientSecret: secret(clientSecret), redirectUrl: REDIRECT, claim },
    })
  }
  beforeEach(() => {
    user = { sub: 'ann', email: 'ann@example.com', email_verified: true }
    claim = 'email'
    configure()
  })
  after(async () => {
    await test?.close()
    await provider?.close()
  })

  const begin = async () => (await test.ask('/api/auth/login')).headers.location ?? ''
  const comeBack = (back: URL) => test.ask(`/api/auth/callback${back.search}`)
  const tokenOf = (body: string) => JSON.parse(body).token as string
  const read = async (token: string) => test.ask('/api/status', { headers: { Authorization: `Bearer ${token}` } })

  it('logs in the user with the verified address of the provider', async () => {
    const answer = await comeBack(await provider.follow(await begin()))
    expect(answer.status, answer.body).to.equal(200)
    expect(JSON.parse((await read(tokenOf(answer.body))).body)).to.include({ user: 'ann@example.com' })
    expect(
      test.logged.some(({ code, fields }) => code === 'login-admitted' && fields.by === 'single sign-on'),
    ).to.equal(true)
  })

  it('sends code challenge, state and nonce, another each time', async () => {
    const [one, other] = [new URL(await begin()), new URL(await begin())]
    for (const name of ['code_challenge', 'state', 'nonce'])
      expect(one.searchParams.get(name)).to.be.a('string').that.does.not.equal(other.searchParams.get(name))
    expect(one.searchParams.get('code_challenge_method')).to.equal('S256')
  })

  it('takes each way back once', async () => {
    const back = await provider.follow(await begin())
    expect((await comeBack(back)).status).to.equal(200)
    expect((await comeBack(back)).status).to.equal(401)
  })

  it('takes no state that it did not give, and no code of another login', async () => {
    const [one, other] = [await provider.follow(await begin()), await provider.follow(await begin())]
    const foreign = new URL(one)
    foreign.searchParams.set('state', 'guessed')
    expect((await comeBack(foreign)).status).to.equal(401)
    const swapped = new URL(one)
    swapped.searchParams.set('code', other.searchParams.get('code') ?? '')
    expect((await comeBack(swapped)).status).to.equal(401)
    expect((await test.ask('/api/auth/callback')).status).to.equal(401)
  })

  it('accepts no address that is not verified, and none of an unknown user', async () => {
    user = { sub: 'eve', email: 'ann@example.com', email_verified: false }
    expect((await comeBack(await provider.follow(await begin()))).status).to.equal(401)
    user = { sub: 'eve', email: 'ann@example.com' }
    expect((await comeBack(await provider.follow(await begin()))).status).to.equal(401)
    user = { sub: 'stranger', email: 'stranger@example.com', email_verified: true }
    expect((await comeBack(await provider.follow(await begin()))).status).to.equal(401)
  })

  it('accepts no name chosen at the provider, unless the settings say that it names users', async () => {
    user = { sub: 'viewer', email: 'eve@example.com', email_verified: true, preferred_username: 'viewer' }
    expect((await comeBack(await provider.follow(await begin()))).status).to.equal(401)
    for (const named of ['preferred_username', 'sub'] as const) {
      claim = named
      configure()
      const { body } = await comeBack(await provider.follow(await begin()))
      expect(JSON.parse((await read(tokenOf(body))).body)).to.include({ user: 'viewer' })
    }
    user = { sub: 'viewer', preferred_username: 'ann@example.com' }
    expect((await comeBack(await provider.follow(await begin()))).status).to.equal(200)
    claim = 'preferred_username'
    user = { sub: 'viewer' }
    configure()
    expect((await comeBack(await provider.follow(await begin()))).status).to.equal(401)
  })

  it('ends with the user', async () => {
    const { body } = await comeBack(await provider.follow(await begin()))
    test.gateway.reconfigure(testLive)
    const listed = await test.ask('/api/clusters', { headers: { Authorization: `Bearer ${tokenOf(body)}` } })
    expect(listed.status).to.equal(401)
  })

  it('is not there when the settings name no provider, and says so when one does not answer', async () => {
    test.gateway.reconfigure(testLive)
    expect([(await test.ask('/api/auth/login')).status, (await test.ask('/api/auth/callback')).status]).to.deep.equal([
      404, 404,
    ])
    const gone = { url: 'http://127.0.0.1:9', clientId: 'x', clientSecret: secret('x'), redirectUrl: REDIRECT, claim }
    test.gateway.reconfigure({ ...testLive, provider: gone })
    expect((await test.ask('/api/auth/login')).status).to.equal(502)
  })
})
