// Whom and what the API of a running daemon refuses: every status and text of the contract, logins and grants.
import { expect } from 'chai'
import { ApiUser } from '../support/manager/api-user.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('the API of a cluster', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  let guest: ApiUser
  let stranger: ApiUser

  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      defaults: {
        'api-credentials': 'admin:spec-password,guest:guest-password,nobody:nobody-password',
        'api-credentials-acl-allow': 'admin:cluster db proxy prov global grant show,guest:show',
      },
    })
    const { manager } = cluster
    admin = await ApiUser.login(manager, 'admin', 'spec-password')
    guest = await ApiUser.login(manager, 'guest', 'guest-password')
    stranger = new ApiUser(manager)
  })
  after(() => cluster?.destroy())

  const replica = (): string => `127.0.0.1:${cluster.nodes[1]?.port}`

  describe('refuses', () => {
    for (const [target, line] of [
      ['', '500 No cluster'],
      ['/topology/servers', '500 No cluster'],
      ['/settings', '500 No cluster'],
      ['/failover/explain', '500 No cluster'],
      ['/status', '400 No cluster found'],
      ['/actions/switchover', '500 No cluster'],
      ['/actions/regenerate-configs', '500 Cluster Not Found'],
      ['/actions/addserver/127.0.0.1/3306', '500 Cluster Not Found'],
      ['/servers/db1/status', '500 Cluster Not Found'],
      ['/servers/db1/actions/start', '500 Cluster Not Found'],
      ['/servers/db1/is-master', '500 No cluster'],
      ['/servers/db1/3306/is-slave', '500 No cluster'],
      ['/servers/db1/3306/need-start', '500 500 -No cluster!'],
      ['/servers/db1/3306/need-restart', '500 No cluster'],
      ['/servers/db1/3306/config', '500 No cluster'],
      ['/need-rolling-restart', '500 500 -No cluster'],
    ] as const)
      it(`an unknown cluster at C${target}`, async () => {
        expect(await admin.line(`/api/clusters/none${target}`)).to.equal(line)
      })

    it('a test of alerts where no channel, or not this one, is configured, and says which', async () => {
      expect(await admin.line(`${C}/alerts/test`, { method: 'POST' })).to.equal(
        '400 story: no channel of alerts is configured',
      )
      expect(await admin.line(`${C}/alerts/test/mail`, { method: 'POST' })).to.equal(
        '400 story: mail is not configured',
      )
    })

    it('a fingerprint of another form than the document has', async () => {
      const accept = `${C}/servers/${encodeURIComponent(replica())}/actions/accept-public-key`
      expect(await admin.line(`${accept}/abc`, { method: 'POST' })).to.equal(
        '400 fingerprint: not a fingerprint: 64 hexadecimal digits of SHA-256',
      )
    })

    for (const [target, line] of [
      ['/db1/status', '500 Server Not Found'],
      ['/db1/actions/start', '500 Server Not Found'],
      ['/db1/actions/switchover', '500 Server Not Found'],
      ['/db1/is-master', '503 503 -Not a Valid Master!'],
      ['/127.0.0.1/1/is-slave', '503 503 -Not a Valid Slave!'],
      ['/db1/3306/need-start', '500 500 -No valid server!'],
      ['/db1/3306/need-stop', '500 500 -No valid server!'],
      ['/db1/3306/need-config-change', '500 500 -No valid server!'],
      ['/db1/3306/need-prov', '500 503 -Not a Valid Server!'],
      ['/db1/3306/need-reprov', '500 503 -Not a Valid Server!'],
      ['/db1/3306/need-restart', '500 503 -Not a Valid Server!'],
      ['/db1/3306/config', '500 No server'],
    ] as const)
      it(`an unknown server at C/servers${target}`, async () => {
        expect(await admin.line(`${C}/servers${target}`)).to.equal(line)
      })

    it('strangers, except where no token is needed', async () => {
      for (const target of ['/api/clusters', '/api/monitor', C, `${C}/topology/servers`, `${C}/settings`])
        expect(await stranger.line(target), target).to.match(/^401 Unauthenticated resource/)
      expect(await stranger.line(`${C}/actions/switchover`, { method: 'POST' })).to.match(/^401 /)
      const wrong = new ApiUser(cluster.manager, 'no.such.token')
      expect(await wrong.line('/api/clusters')).to.match(/^401 Unauthenticated resource/)
    })

    it('users without the grant, and shows them nothing that is not theirs', async () => {
      expect((await guest.ask(`${C}/topology/servers`)).status).to.equal(200)
      for (const target of [
        `${C}/actions/switchover`,
        `${C}/actions/failover`,
        `${C}/actions/reset-sla`,
        `${C}/servers/${replica()}/actions/set-maintenance`,
        `${C}/servers/${replica()}/variables`,
        `${C}/settings/actions/set/failover-limit/9`,
        `${C}/actions/addserver/127.0.0.1/3306`,
        '/api/clusters/actions/add/other',
        '/api/clusters/actions/delete/story',
        '/api/clusters/settings/actions/set/api-token-timeout/1',
      ])
        expect(await guest.line(target), target).to.equal('403 No valid ACL')
      const nobody = await ApiUser.login(cluster.manager, 'nobody', 'nobody-password')
      expect(await nobody.line('/api/clusters')).to.equal('200 []')
      expect(await nobody.line(C)).to.equal('403 No valid ACL')
      expect(await nobody.line(`${C}/failover/explain`)).to.equal('403 No valid ACL')
    })

    it('wrong addresses, methods and bodies', async () => {
      expect((await admin.ask('/api/nothing')).status).to.equal(404)
      const wrong = await admin.ask(`${C}/topology/servers`, { method: 'DELETE' })
      expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, OPTIONS'])
      const json = { 'content-type': 'application/json' }
      expect(await stranger.line('/api/login', { body: '{"username":', headers: json })).to.equal(
        '400 Error in request',
      )
      const large = JSON.stringify({ prefmaster: 'x'.repeat(2_000_000) })
      expect((await admin.ask(`${C}/actions/switchover`, { body: large, headers: json })).status).to.equal(413)
    })

    it('in a form for programs when asked for it', async () => {
      const { status, text, headers } = await admin.ask('/api/clusters/none', {
        headers: { accept: 'application/problem+json' },
      })
      expect(headers.get('content-type')).to.equal('application/problem+json')
      expect(JSON.parse(text)).to.include({ status, code: 'unknown-cluster' }).and.include.keys('detail', 'hint')
    })

    it('to report anything of a database that does not answer, within seconds', async () => {
      const [, node] = cluster.nodes
      node?.pause()
      try {
        const { status } = await admin.ask(`${C}/servers/${replica()}/variables`)
        expect(status).to.be.oneOf([500, 504])
      } finally {
        node?.resume()
        await cluster.ready()
      }
    })
  })

  describe('admits', () => {
    const login = (body: unknown, headers: Record<string, string> = {}) => stranger.ask('/api/login', { body, headers })

    it('users that have the password, with a token as JSON or bare', async () => {
      const body = { username: 'admin', password: 'spec-password' }
      const { status, text } = await login(body)
      expect(status).to.equal(200)
      expect(Object.keys(JSON.parse(text) as object)).to.deep.equal(['token'])
      const bare = await login(body, { accept: 'text/html' })
      expect(bare.text.split('.')).to.have.lengthOf(5)
      expect((await new ApiUser(cluster.manager, bare.text).ask('/api/clusters')).status).to.equal(200)
    })

    it('no one else, and after three failures no one for a while', async () => {
      const body = { username: 'nobody', password: 'guess' }
      for (let tries = 0; tries < 3; tries += 1) {
        const { status, text } = await login(body)
        expect([status, text]).to.deep.equal([401, 'Invalid credentials'])
      }
      const { status, headers } = await login({ ...body, password: 'nobody-password' })
      expect(status).to.equal(429)
      expect(Number(headers.get('retry-after'))).to.be.greaterThan(0)
    })
  })
})

describe('the API with the password it is shipped with', () => {
  let manager: ManagerProcess
  before(async () => {
    manager = await ManagerProcess.create({
      settings: { 'api-credentials': 'admin:repman' },
      clusters: { shop: { 'db-servers-hosts': '127.0.0.1:1' } },
    })
    manager.start()
    const stranger = new ApiUser(manager)
    await eventually(async () => (await stranger.line('/api/status').catch(() => '')).includes('running'), 'it runs')
  })
  after(() => manager?.destroy())

  const login = (headers: Readonly<Record<string, string>> = {}) =>
    new ApiUser(manager).ask('/api/login', { body: { username: 'admin', password: 'repman' }, headers })
  const warnings = async (user: ApiUser) =>
    (await user.json<{ warnings: readonly { number: string; desc: string }[] }>('/api/clusters/shop/topology/alerts'))
      .warnings

  it('admits clients on the machine, and none from elsewhere', async () => {
    expect((await login()).status).to.equal(200)
    for (const headers of [{ 'x-forwarded-for': '192.0.2.1' }, { origin: 'https://elsewhere.example' }])
      expect((await login(headers)).status, JSON.stringify(headers)).to.equal(401)
  })

  it('warns of it until another password is set, which ends the sessions of the old one', async () => {
    const admin = await ApiUser.login(manager, 'admin', 'repman')
    const finding = async () => (await warnings(admin)).find(({ number }) => number === 'WARN0108')
    // The cluster hears of it after the API has begun to answer.
    await eventually(async () => (await finding()) !== undefined, 'the warning is open')
    expect((await finding())?.desc).to.contain('admin')
    manager.configure({
      settings: { 'api-credentials': 'admin:another-password' },
      clusters: { shop: { 'db-servers-hosts': '127.0.0.1:1' } },
    })
    manager.signal('SIGHUP')
    await eventually(async () => (await admin.ask('/api/clusters')).status === 401, 'the session ends')
    const again = await ApiUser.login(manager, 'admin', 'another-password')
    await eventually(
      async () => !(await warnings(again)).some(({ number }) => number === 'WARN0108'),
      'the warning is gone',
    )
  })
})
