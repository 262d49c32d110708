// API tokens and visitors over real sockets: what they open, and the moment they do not any more.
import { expect } from 'chai'
import { secret } from '../../../../lib/base/secret.js'
import { startTestGateway, type TestGateway, testAccess, testLive } from '../../../support/http/test-gateway.js'

describe('API tokens', () => {
  let test: TestGateway
  beforeEach(async () => {
    test = await startTestGateway()
  })
  afterEach(() => test.close())

  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
  const make = async (wish: object, headers?: { Authorization: string }) => {
    const sent = headers ?? (await test.bearer())
    const body = JSON.stringify({ label: 'x', ...wish })
    return test.ask('/api/tokens', { method: 'POST', headers: { 'Content-Type': 'application/json', ...sent }, body })
  }
  const tokenOf = async (wish: object) => JSON.parse((await make(wish)).body) as { id: string; token: string }
  const status = async (token: string, path: string, method = 'GET') =>
    (await test.ask(path, { method, headers: bearer(token) })).status
  const switchover = '/api/clusters/c1/actions/switchover'

  it('open at once what their owner may do', async () => {
    const { token } = await tokenOf({})
    expect(await status(token, '/api/clusters')).to.equal(200)
    expect(await status(token, '/api/clusters/settings/actions/set/name/1', 'POST')).to.equal(200)
  })

  it('open only the grants and clusters they were made for', async () => {
    const { token } = await tokenOf({ grants: 'show cluster-failover', clusters: ['c1'] })
    expect(await status(token, switchover, 'POST')).to.not.be.oneOf([401, 403])
    expect(await status(token, '/api/clusters/c1/servers/db1/actions/start', 'POST')).to.equal(403)
    expect(await status(token, '/api/clusters/settings/actions/set/name/1', 'POST')).to.equal(403)
    const { body } = await test.ask('/api/clusters', { headers: bearer(token) })
    expect(JSON.parse(body)).to.deep.equal(['c1'])
  })

  it('lose with their owner what it loses', async () => {
    const { token } = await tokenOf({})
    expect(await status(token, switchover, 'POST')).to.not.be.oneOf([401, 403])
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, allow: 'boss:show' } })
    expect(await status(token, switchover, 'POST')).to.equal(403)
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('viewer:see-only') } })
    expect(await status(token, '/api/clusters')).to.equal(401)
  })

  it('open again for an owner whose absence was a mistake', async () => {
    const { token } = await tokenOf({})
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('viewer:see-only') } })
    expect(await status(token, '/api/clusters')).to.equal(401)
    test.gateway.reconfigure(testLive)
    expect(await status(token, '/api/clusters')).to.equal(200)
  })

  it('outlive a change of the password', async () => {
    const { token } = await tokenOf({})
    const credentials = secret('boss:changed')
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials } })
    expect(await status(token, '/api/clusters')).to.equal(200)
  })

  it('are refused on the request after they were revoked, on a kept connection too', async () => {
    const { id, token } = await tokenOf({})
    const owner = await test.bearer()
    expect(await status(token, '/api/clusters')).to.equal(200)
    const revoked = await test.ask(`/api/tokens/${id}`, { method: 'DELETE', headers: owner })
    expect(JSON.parse(revoked.body)).to.include({ id, revoked: true, revokedBy: 'boss' })
    expect(await status(token, '/api/clusters')).to.equal(401)
  })

  it('are refused while api-user-tokens is off', async () => {
    const { token } = await tokenOf({})
    test.gateway.reconfigure({ ...testLive, userTokens: false })
    expect(await status(token, '/api/clusters')).to.equal(401)
    expect((await make({})).status).to.equal(403)
  })

  it('make no tokens', async () => {
    const { token } = await tokenOf({})
    expect((await make({}, bearer(token))).status).to.equal(403)
    expect(test.logged.map(({ code }) => code)).to.include('api_token_denied')
  })

  it('are listed without their texts, with their last use', async () => {
    const { id, token } = await tokenOf({ label: 'report' })
    await status(token, '/api/clusters')
    const { body } = await test.ask('/api/tokens', { headers: await test.bearer() })
    expect(JSON.parse(body)).to.have.length(1)
    expect(JSON.parse(body)[0]).to.include({ id, label: 'report', user: 'boss', lastUsedFrom: '127.0.0.1' })
    expect(body).to.not.include(token)
    const other = await test.ask('/api/tokens', { headers: await test.bearer('viewer', 'see-only') })
    expect(other.body).to.equal('[]')
  })

  it('are shown to users that manage those of the cluster', async () => {
    const { id } = await tokenOf({ clusters: ['c1'] })
    const listed = await test.ask('/api/clusters/c1/tokens', { headers: await test.bearer() })
    expect(JSON.parse(listed.body).map((token: { id: string }) => token.id)).to.deep.equal([id])
    const viewer = await test.bearer('viewer', 'see-only')
    expect((await test.ask('/api/clusters/c1/tokens', { headers: viewer })).status).to.equal(403)
    expect((await test.ask(`/api/tokens/${id}`, { method: 'DELETE', headers: viewer })).status).to.equal(403)
  })

  it('are revoked by who manages all their clusters', async () => {
    const made = await make({ clusters: ['c1'] }, await test.bearer('viewer', 'see-only'))
    const { id } = JSON.parse(made.body)
    const revoked = await test.ask(`/api/tokens/${id}`, { method: 'DELETE', headers: await test.bearer() })
    expect([revoked.status, JSON.parse(revoked.body).revokedBy]).to.deep.equal([200, 'boss'])
  })

  it('are planned to be revoked as they would be: whose they are, or why it is refused', async () => {
    const made = await make({ label: 'report' }, await test.bearer('viewer', 'see-only'))
    const { id } = JSON.parse(made.body)
    const plan = async (token: string, headers: { Authorization: string }) =>
      JSON.parse((await test.ask(`/api/tokens/${token}?plan=true`, { method: 'DELETE', headers })).body)
    const planned = await plan(id, await test.bearer())
    expect(planned).to.deep.include({ possible: true, confirm: 'yes' })
    expect(planned.steps[0].text).to.equal('Revoke the API token report of viewer')
    const { id: foreign } = await tokenOf({ clusters: ['c1'] })
    expect(await plan(foreign, await test.bearer('viewer', 'see-only'))).to.include({
      possible: false,
      refusal: 'the token is not yours to revoke',
    })
    expect(await plan('none', await test.bearer())).to.include({ possible: false })
    const listed = JSON.parse((await test.ask('/api/tokens', { headers: await test.bearer() })).body)
    expect(listed.map((token: { revoked: boolean }) => token.revoked)).to.deep.equal([false])
  })

  it('revoke themselves, and none that they do not manage', async () => {
    const [other, own] = [await tokenOf({ grants: 'show' }), await tokenOf({ grants: 'show' })]
    const revoke = async (id: string) =>
      (await test.ask(`/api/tokens/${id}`, { method: 'DELETE', headers: bearer(own.token) })).status
    expect([await revoke(other.id), await revoke(own.id)]).to.deep.equal([403, 200])
    expect([await status(other.token, '/api/clusters'), await status(own.token, '/api/clusters')]).to.deep.equal([
      200, 401,
    ])
  })

  for (const [what, wish] of [
    ['no label', { label: ' ' }],
    ['a long label', { label: 'x'.repeat(65) }],
    ['a grant that is not held', { grants: 'sales' }],
    ['an unknown cluster', { clusters: ['c9'] }],
    ['a strange lifetime', { expireDays: -2 }],
  ] as const) {
    it(`are not made with ${what}`, async () => {
      expect((await make(wish)).status).to.equal(400)
    })
  }

  it('give no user what another user of the same name holds on a cluster with a list of its own', async () => {
    const theirs = { credentials: secret('viewer:another-password'), allow: 'viewer:db cluster show' }
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, clusters: { c2: theirs } } })
    const [here, there] = [await test.bearer('viewer', 'see-only'), await test.bearer('viewer', 'another-password')]
    const everywhere = await make({}, here)
    expect([everywhere.status, everywhere.body.trim()]).to.deep.equal([
      400,
      'clusters: name yours, since c2 knows a user of your name by another password',
    ])
    expect((await make({ clusters: ['c2'] }, here)).status).to.equal(400)
    expect((await make({ grants: 'cluster-switchover', clusters: ['c1'] }, here)).status).to.equal(400)
    const { id } = JSON.parse((await make({ clusters: ['c2'] }, there)).body)
    expect((await test.ask(`/api/tokens/${id}`, { method: 'DELETE', headers: here })).status).to.equal(403)
    expect(JSON.parse((await test.ask('/api/tokens', { headers: here })).body)).to.deep.equal([])
    const own = JSON.parse((await make({ clusters: ['c1'] }, here)).body) as { token: string }
    const { body } = await test.ask('/api/clusters', { headers: bearer(own.token) })
    expect(JSON.parse(body)).to.deep.equal(['c1'])
  })

  it('are named with what is done and refused by them', async () => {
    const { id, token } = await tokenOf({ grants: 'show' })
    const before = test.logged.length
    const path = '/api/clusters/c1/actions/switchover'
    expect((await test.ask(path, { method: 'POST', headers: bearer(token) })).status).to.equal(403)
    const entries = test.logged.slice(before).map(({ code, fields }) => [code, fields.apiToken])
    expect(entries).to.deep.equal([
      ['refused', id],
      ['action', id],
    ])
  })

  it('leave a trace of their making and end, without their text', async () => {
    const { id, token } = await tokenOf({})
    await test.ask(`/api/tokens/${id}`, { method: 'DELETE', headers: await test.bearer() })
    const traced = test.logged.filter(({ code }) => code.startsWith('api_token'))
    expect(traced.map(({ code }) => code)).to.deep.equal(['api_token_created', 'api_token_revoked'])
    expect(JSON.stringify(test.logged)).to.not.include(token)
  })
})

describe('visitors', () => {
  let test: TestGateway
  before(async () => {
    test = await startTestGateway({ visitors: { autologin: 'viewer', dashboard: 'nobody' } })
  })
  after(() => test.close())

  for (const [path, user] of [
    ['/api/autologin', 'viewer'],
    ['/api/dashboard-token', 'nobody'],
  ] as const) {
    it(`become ${user} at ${path}, which is noted`, async () => {
      const { body } = await test.ask(path)
      const headers = { Authorization: `Bearer ${JSON.parse(body).token}` }
      expect(JSON.parse((await test.ask('/api/status', { headers })).body)).to.include({ user })
      expect(test.logged).to.deep.include.members([test.logged.find(({ code }) => code === 'login-admitted')])
      expect(test.logged.some(({ code, fields }) => code === 'login-admitted' && fields.user === user)).to.equal(true)
    })
  }

  it('find nothing while the settings are as shipped, or name no user', async () => {
    test.gateway.reconfigure(testLive)
    expect([(await test.ask('/api/autologin')).status, (await test.ask('/api/dashboard-token')).status]).to.deep.equal([
      404, 404,
    ])
    test.gateway.reconfigure({ ...testLive, visitors: { autologin: 'stranger' } })
    expect((await test.ask('/api/autologin')).status).to.equal(404)
  })

  it('are logged when the user they become can change something', async () => {
    expect(test.gateway.powerfulVisitors()).to.deep.equal([])
    test.gateway.reconfigure({ ...testLive, visitors: { autologin: 'boss', dashboard: 'viewer' } })
    expect(test.gateway.powerfulVisitors()).to.deep.equal(['autologin: boss'])
  })

  it('do not become who has the shipped password, seen from afar', async () => {
    test.gateway.reconfigure({ ...testLive, visitors: { autologin: 'admin' } })
    expect((await test.ask('/api/autologin')).status).to.equal(200)
    const forwarded = await test.ask('/api/autologin', { headers: { 'X-Forwarded-For': '203.0.113.9' } })
    expect(forwarded.status).to.equal(404)
  })
})
