// Reads over the wire that are more than one view: lists, the monitor, the heartbeat, the archive, the checks.
import { expect } from 'chai'
import { FLAG_KNOWN, FLAG_LAG_SHIFT, FLAG_VALID_PRIMARY, FLAG_VALID_REPLICA } from '../../../actors/protocol/actor.js'
import { ok } from '../../../lib/base/result.js'
import { openWire, type Wire } from '../../support/http/wire.js'

describe('rows that read', () => {
  let wire: Wire

  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())

  describe('clusters.list', () => {
    it('shows the clusters the caller has any grant on', async () => {
      expect(JSON.parse((await wire.ask('/api/clusters')).body)[0].name).to.equal('demo')
      const headers = await wire.bearer('viewer', 'see-only')
      expect((await wire.ask('/api/clusters', { headers })).body).to.equal('[]')
    })

    it('shows a cluster that gives no state, with the reason', async () => {
      wire.face.names.add('other')
      const listed = JSON.parse((await wire.ask('/api/clusters')).body)
      expect(listed[1]).to.deep.equal({ name: 'other', unavailable: 'not published' })
      wire.face.names.delete('other')
    })

    it('has an ETag of its members', async () => {
      const { headers } = await wire.ask('/api/clusters')
      const again = await wire.ask('/api/clusters', { headers: { 'If-None-Match': String(headers.etag) } })
      expect(again.status).to.equal(304)
    })
  })

  describe('clusters.add', () => {
    for (const name of ['settings', 'a b', '-x', 'x'.repeat(65)])
      it(`refuses the name "${name.slice(0, 10)}"`, async () => {
        const { status, body } = await wire.ask(`/api/clusters/actions/add/${encodeURIComponent(name)}`, {
          method: 'POST',
        })
        expect([status, body]).to.deep.equal([400, 'Error in request\n'])
      })

    it('answers with the new cluster, also before its first view', async () => {
      const { status, body } = await wire.ask('/api/clusters/actions/add/shop', { method: 'POST' })
      expect([status, JSON.parse(body).name]).to.deep.equal([200, 'shop'])
    })

    it('is for self-service to decide where the user may not create clusters, by name, form and user alone', async () => {
      const path = '/api/clusters/actions/add/shop'
      const viewer = { ...(await wire.bearer('viewer', 'see-only')), 'Content-Type': 'application/json' }
      const body = JSON.stringify({ orchestrator: 'kube', plan: 'x1' })
      wire.face.calls.length = 0
      expect((await wire.ask(path, { method: 'POST', headers: viewer, body })).status).to.equal(200)
      const form = { orchestrator: 'kube', plan: 'x1' }
      expect(wire.face.calls).to.deep.equal([
        { name: 'createInSelfService', given: { name: 'shop', form, user: 'viewer' } },
      ])
      const plan = JSON.parse((await wire.ask(`${path}?plan=true`, { method: 'POST', headers: viewer })).body)
      expect(plan).to.include({ possible: false, refusal: 'hosted-self-service-clusters is off' })
      expect(wire.face.calls).to.have.length(1)
    })
  })

  describe('member.add', () => {
    it('refuses what is no port', async () => {
      expect((await wire.ask('/api/clusters/demo/actions/addserver/db9/0')).status).to.equal(400)
      expect((await wire.ask('/api/clusters/demo/actions/addserver/db9/65536')).status).to.equal(400)
    })

    it('writes an IPv6 address in brackets', async () => {
      wire.face.calls.length = 0
      await wire.ask('/api/clusters/demo/actions/addserver/fe80::1/3306', { method: 'POST' })
      expect(wire.face.calls[0]?.given).to.deep.equal([{ cluster: 'demo', address: '[fe80::1]:3306', user: 'admin' }])
    })
  })

  for (const [action, name] of [
    ['addserver', 'addProxy'],
    ['dropserver', 'dropProxy'],
  ] as const)
    it(`takes a type of proxies for a proxy: ${action}`, async () => {
      wire.face.calls.length = 0
      const answer = await wire.ask(`/api/clusters/demo/actions/${action}/lb1/6032/proxysql`, { method: 'POST' })
      expect(answer.status).to.equal(200)
      const change = { cluster: 'demo', address: 'lb1:6032', user: 'admin', kind: 'proxysql' }
      expect(wire.face.calls[0]).to.deep.equal({ name, given: [change] })
    })

  describe('member.drop', () => {
    for (const address of [
      '/cluster/demo/actions/dropserver/db2/3306',
      '/cluster/demo/actions/dropserver/db2/3306/mariadb',
      '/api/clusters/demo/actions/dropserver/db2/3306',
      '/api/clusters/demo/actions/dropserver/db2',
    ])
      it(`drops db2 at ${address}`, async () => {
        wire.face.calls.length = 0
        expect((await wire.ask(address, { method: 'POST' })).body).to.equal('Monitor dropped')
        expect(wire.face.calls[0]).to.deep.equal({
          name: 'dropServer',
          given: [{ cluster: 'demo', user: 'admin', address: 'db2:3306' }],
        })
      })
  })

  describe('monitor.object', () => {
    it('lists only what the caller may see', async () => {
      const viewer = { headers: await wire.bearer('viewer', 'see-only') }
      expect(JSON.parse((await wire.ask('/api/monitor')).body).clusters).to.deep.equal(['demo'])
      expect(JSON.parse((await wire.ask('/api/monitor', viewer)).body)).to.deep.include({ clusters: [], findings: [] })
    })

    it('shows lines of the log of clusters that the caller sees, and the own ones to administrators', async () => {
      const line = { level: 'INFO', at: 1_795_246_812_000, text: 'something' } as const
      wire.face.lines = ['', 'demo', 'other'].map((group) => ({ ...line, group }))
      const groups = async (headers?: Readonly<Record<string, string>>) =>
        JSON.parse((await wire.ask('/api/monitor', headers && { headers })).body).logs.buffer.map(
          ({ group }: { readonly group: string }) => group,
        )
      expect(await groups()).to.deep.equal(['', 'demo', 'other'])
      expect(await groups(await wire.bearer('viewer', 'see-only'))).to.deep.equal([])
      wire.face.lines = []
    })

    it('demands a token', async () => {
      expect((await wire.ask('/api/monitor', { headers: { Authorization: '' } })).status).to.equal(401)
    })
  })

  describe('monitor.heartbeat', () => {
    it('shows the master and counts hosts of the first cluster', async () => {
      const heartbeat = JSON.parse((await wire.ask('/api/heartbeat')).body)
      expect(heartbeat).to.include({
        cluster: 'demo',
        master: 'db1:3306',
        hosts: 3,
        failed: 0,
        status: 'A',
        secret: '',
      })
      const posted = await wire.ask('/api/heartbeat', { method: 'POST' })
      expect(JSON.parse(posted.body)).to.deep.equal(heartbeat)
    })

    it('does not know another cluster', async () => {
      expect((await wire.ask('/api/heartbeat?cluster=nowhere')).status).to.equal(500)
    })
  })

  describe('server.config', () => {
    before(() => {
      wire.face.archiveFile = ok({ bytes: Buffer.from('archive'), etag: 'a1' })
    })

    const anonymous = { headers: { Authorization: '' } }

    for (const server of ['db2/3306', 'db2'])
      it(`is sent to anybody for ${server}`, async () => {
        const { status, body, headers } = await wire.ask(`/api/clusters/demo/servers/${server}/config`, anonymous)
        expect([status, body]).to.deep.equal([200, 'archive'])
        expect(headers['content-disposition']).to.contain('config.tar.gz')
      })

    it('demands a token and a grant where the configuration is secured', async () => {
      wire.face.policy = { secure: true, addresses: [], tokens: false }
      const address = '/api/clusters/demo/servers/db2/3306/config'
      const viewer = { headers: await wire.bearer('viewer', 'see-only') }
      expect((await wire.ask(address, anonymous)).status).to.equal(401)
      expect((await wire.ask(address, viewer)).status).to.equal(403)
      expect((await wire.ask(address)).status).to.equal(200)
      wire.face.policy = { secure: false, addresses: [], tokens: false }
    })

    it('is refused to addresses outside of the ranges, unless they log in', async () => {
      wire.face.policy = { secure: false, addresses: ['10.0.0.0/8'], tokens: false }
      const address = '/api/clusters/demo/servers/db2/3306/config'
      expect((await wire.ask(address, anonymous)).status).to.equal(403)
      expect((await wire.ask(address)).status).to.equal(200)
      wire.face.policy = { secure: false, addresses: ['10.0.0.0/8', '127.0.0.0/8'], tokens: false }
      expect((await wire.ask(address, anonymous)).status).to.equal(200)
      wire.face.policy = { secure: false, addresses: [], tokens: false }
    })

    it('is given once for a bootstrap token; a read of its length or an unchanged one spends none', async () => {
      wire.face.policy = { secure: false, addresses: [], tokens: true }
      wire.face.tokens.add('mbt_one')
      const address = '/api/clusters/demo/servers/db2/3306/config'
      const headers = { Authorization: 'Bearer mbt_one' }
      expect((await wire.ask(address, anonymous)).status).to.equal(401)
      expect((await wire.ask(address, { headers: { Authorization: 'Bearer mbt_two' } })).status).to.equal(401)
      expect((await wire.ask(address, { headers, method: 'HEAD' })).status).to.equal(200)
      expect((await wire.ask(address, { headers: { ...headers, 'If-None-Match': '"a1"' } })).status).to.equal(304)
      expect((await wire.ask(address, { headers })).status).to.equal(200)
      expect((await wire.ask(address, { headers })).status).to.equal(401)
      wire.face.policy = { secure: false, addresses: [], tokens: false }
    })

    it('is noted with who asked, from where, and why it was given or refused', async () => {
      wire.face.downloads.length = 0
      await wire.ask('/api/clusters/demo/servers/db2/3306/config', anonymous)
      wire.face.policy = { secure: true, addresses: [], tokens: false }
      await wire.ask('/api/clusters/demo/servers/db2/3306/config', anonymous)
      wire.face.policy = { secure: false, addresses: [], tokens: false }
      const [given, refused] = wire.face.downloads
      expect(given).to.deep.include({ cluster: 'demo', server: 'db2', user: '', address: '127.0.0.1', opened: 'open' })
      expect(refused).to.deep.include({
        server: 'db2',
        refused: 'neither a login nor an unspent bootstrap token of this server',
      })
    })
  })

  describe('checks of a cluster', () => {
    const text = async (address: string) => {
      const { status, body } = await wire.ask(address, { headers: { Authorization: '' } })
      return `${status} ${body.trimEnd()}`
    }

    it('ask whether anybody has the role', async () => {
      wire.face.flagWords.set('demo/0', FLAG_KNOWN | FLAG_VALID_PRIMARY)
      wire.face.flagWords.set('demo/1', FLAG_KNOWN | FLAG_VALID_REPLICA | (6 << FLAG_LAG_SHIFT))
      expect(await text('/api/clusters/demo/primary')).to.equal('200 200 -Valid Master!')
      expect(await text('/api/clusters/demo/replica?lag=5')).to.equal('200 200 -Valid Slave!')
      expect(await text('/api/clusters/demo/replica?lag=4')).to.equal('503 503 -Not a Valid Slave!')
      expect(await text('/api/clusters/demo/replica?lag=soon')).to.match(/^400 lag/)
      expect(await text('/api/clusters/demo/health')).to.equal('200 {"master":"db1","slaves":["db2"]}')
    })

    it('answer no while no server has it', async () => {
      wire.face.flagWords.clear()
      expect(await text('/api/clusters/demo/primary')).to.equal('503 503 -Not a Valid Master!')
      expect(await text('/api/clusters/demo/health')).to.equal('503 503 -Not a Valid Master!')
    })
  })
})
