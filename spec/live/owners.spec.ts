// The threat model walked: the owner of one cluster against the databases of another and the machine of the manager.
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { newDirectory } from '../support/machine/directories.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { ApiUser } from '../support/manager/api-user.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { addressOf, startOwnedClusters } from '../support/manager/owned-clusters.js'
import { eventually } from '../support/wait.js'

const LAB = '/api/clusters/lab'
const SET = `${LAB}/settings/actions/set`

describe('The owner of a cluster', () => {
  let databases: Databases
  let manager: ManagerProcess
  let gate: TcpGate
  let owner: ApiUser
  const shop = () => databases.node(0)
  const set = (name: string, value: string) => owner.line(`${SET}/${name}`, { body: { value } })
  const isWritable = async () => (await shop().value('SELECT @@global.read_only')) === '0'

  before(async () => {
    databases = await startDatabases({ count: 2, prefix: 'owned' })
    gate = await TcpGate.create()
    await gate.lead(shop().port)
    manager = await startOwnedClusters(databases, { 'maxscale-user': 'operator', 'maxscale-pass': 'of-the-service' })
    // By its identity it is known under every spelling.
    await eventually(async () => {
      const servers = await manager.get<readonly { state: string }[]>('/api/clusters/shop/topology/servers')
      return servers.every(({ state }) => !['Suspect', 'Failed'].includes(state))
    }, 'the server of the other cluster is seen')
    owner = await ApiUser.login(manager, 'eve', 'eve-password')
  })
  after(async () => {
    await manager?.destroy()
    await gate?.close()
    await databases?.teardown()
  })

  it('names no program, file or key of the machine, on any path', async () => {
    const proof = path.join(newDirectory('owner'), 'ran')
    const script = path.join(path.dirname(proof), 'script')
    writeFileSync(script, `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 })
    for (const name of ['prov-db-start-script', 'failover-pre-script', 'haproxy-binary-path'])
      expect(await set(name, script), name).to.match(/^400 .*configuration files only/)
    for (const name of ['onpremise-ssh-start-db-script', 'db-servers-tls-ca-cert', 'onpremise-ssh-private-key'])
      expect(await set(name, manager.configFile), name).to.match(/^400 .*configuration files only/)
    expect(await owner.line(`${LAB}/settings/actions/switch/failover-pre-script`)).to.match(/^400 /)
    await owner.line(`${LAB}/servers/${addressOf(databases.node(1)).replace(':', '%3A')}/actions/start`, {
      method: 'POST',
    })
    expect(existsSync(proof)).to.equal(false)
  })

  it('changes neither what acts with the account of the manager nor what belongs to the server', async () => {
    for (const [name, value] of [
      ['prov-orchestrator', 'local'],
      ['prov-local-user', 'root'],
      ['mail-smtp-addr', 'x:25'],
    ])
      expect(await set(name ?? '', value ?? ''), name).to.match(/^403 .*global-settings/)
    for (const [name, value] of [
      ['api-autologin', 'true'],
      ['monitoring-cluster-files', '/'],
      ['api-bind', '0.0.0.0'],
    ])
      expect(await set(name ?? '', value ?? ''), name).to.match(/^403 .*global-settings/)
    expect(await owner.line('/api/clusters/settings/actions/set/api-token-timeout/1', { method: 'POST' })).to.match(
      /^403 /,
    )
  })

  it('gives no user more than it holds, and shuts out no user that holds more', async () => {
    const all = 'admin:cluster db proxy prov global grant show,eve:cluster db proxy prov global grant show terminal:lab'
    expect(await set('api-credentials-acl-allow', all)).to.match(/^403 /)
    expect(await set('api-credentials-acl-allow', 'eve:cluster db prov grant show:lab')).to.match(/^403 /)
    expect(await set('api-credentials', 'eve:eve-password')).to.match(/^403 /)
    expect(await set('api-credentials', 'admin:mine,eve:eve-password')).to.match(/^403 /)
    expect(await set('api-credentials-acl-discard', 'admin:cluster-settings')).to.match(/^403 /)
    const form = { username: 'accomplice', password: 'x', roles: 'sysops', grants: '' }
    expect(await owner.line(`${LAB}/users/add`, { body: form })).to.match(/^403 /)
    expect(await owner.line(`${LAB}/users/add`, { body: { ...form, roles: '', grants: 'db-show' } })).to.match(/^200/)
    const admin = await ApiUser.login(manager, 'admin', 'spec-password')
    expect(await admin.line(`${LAB}/settings`)).to.match(/^200 /)
  })

  it('has no account that the files give sent to a server that is proven less than the files say', async () => {
    const server = `${LAB}/servers/${addressOf(databases.node(1)).replace(':', '%3A')}`
    const accept = (user: ApiUser) =>
      user.line(`${server}/actions/accept-public-key/${'ab'.repeat(32)}`, { method: 'POST' })
    const admin = await ApiUser.login(manager, 'admin', 'spec-password')
    expect(await set('db-servers-accept-unproven-keys', 'true')).to.match(/^403 .*db-servers-credential .*proven/)
    expect(await owner.line(`${LAB}/settings/actions/switch/db-servers-accept-unproven-keys`)).to.match(/^403 /)
    expect(await accept(owner)).to.match(/^403 .*db-servers-credential/)
    expect(await accept(admin), 'a user who may').to.match(/^200 /)
  })

  it('has no account that the files give shown at an address that it chose', async () => {
    const shown: string[] = []
    const listener = createServer((request, response) => {
      shown.push(request.headers.authorization ?? 'without a login')
      response.end('{"data":[]}')
    })
    await new Promise<void>((listens) => listener.listen(0, '127.0.0.1', listens))
    const { port } = listener.address() as AddressInfo
    try {
      expect(await set('maxscale-servers', `127.0.0.1:${port}`)).to.match(/^403 .*maxscale-pass/)
      const added = await owner.line(`${LAB}/actions/addserver/127.0.0.1/${port}/maxscale`, { method: 'POST' })
      expect(added).to.match(/^403 .*maxscale-pass/)
      expect(await owner.line(`${LAB}/actions/addserver/127.0.0.1/${port}`, { method: 'POST' })).to.match(
        /^403 .*db-servers-credential/,
      )
      // A user who may: then the manager logs in there.
      const admin = await ApiUser.login(manager, 'admin', 'spec-password')
      expect(await admin.line(`${LAB}/actions/addserver/127.0.0.1/${port}/maxscale`, { method: 'POST' })).to.match(
        /^200 /,
      )
      await eventually(() => shown.length > 0, 'the manager logs in')
      expect(shown[0]).to.equal(`Basic ${Buffer.from('operator:of-the-service').toString('base64')}`)
      expect(await owner.line(`${LAB}/actions/dropserver/127.0.0.1/${port}/maxscale`, { method: 'POST' })).to.match(
        /^200 /,
      )
    } finally {
      listener.close()
    }
    // With accounts of its own it may add servers.
    for (const name of ['db-servers-credential', 'replication-credential'])
      expect(await set(name, 'root:root')).to.match(/^200 /)
  })

  it('takes no server of another cluster, however it is spelled, and closes none', async () => {
    await prepareWrites(shop())
    const { port } = shop()
    for (const spelled of [`localhost/${port}`, `127.0.0.1/${port}`, `%5B::1%5D/${port}`, `127.0.0.1/${gate.port}`]) {
      const said = await owner.line(`${LAB}/actions/addserver/${spelled}`, { method: 'POST' })
      expect(said, spelled).to.match(/^(409|400) /)
    }
    const hosts = `${addressOf(databases.node(1))},localhost:${port}`
    expect(await set('db-servers-hosts', hosts)).to.match(/^(409|400) /)
    expect(await set('db-servers-hosts', `${addressOf(databases.node(1))},127.0.0.1:${gate.port}`)).to.match(
      /^409 .*same server/,
    )
    expect(await isWritable()).to.equal(true)
  })

  it('has no power over a server of another cluster to which its address leads later', async () => {
    const way = await TcpGate.create()
    const own = await startDatabases({ count: 1, prefix: 'relayed' })
    const at = `${LAB}/servers/127.0.0.1%3A${way.port}`
    const alerts = async () => {
      const { errors } = await owner.json<{ errors: readonly { number: string; desc: string }[] }>(
        `${LAB}/topology/alerts`,
      )
      return errors.filter(({ number, desc }) => number === 'ERR00182' && desc.includes(String(way.port)))
    }
    const stateOf = async () => {
      const servers = await owner.json<readonly { port: string | number; state: string }[]>(`${LAB}/topology/servers`)
      return servers.find(({ port }) => String(port) === String(way.port))?.state
    }
    const shown = async () => ({
      logs: await shop().value('SELECT @@gtid_binlog_state'),
      closed: await shop().value('SELECT @@global.read_only'),
      follows: await shop().sql('SHOW ALL SLAVES STATUS'),
    })
    const acts = ['reset-master', 'toogle-read-only', 'skip-replication-event', `relocate/127.0.0.1%3A${shop().port}`]
    const expectNoPower = async () => {
      const before = await shown()
      expect(before.logs).to.match(/^0-/)
      for (const act of acts)
        expect(await owner.line(`${at}/actions/${act}`, { method: 'POST' }), act).to.not.match(/^2/)
      expect(
        await owner.line(`${LAB}/actions/switchover?prefmaster=127.0.0.1:${way.port}`, { method: 'POST' }),
      ).to.not.match(/^2/)
      expect(await shown()).to.deep.equal(before)
    }
    try {
      expect(await owner.line(`${LAB}/actions/addserver/127.0.0.1/${way.port}`, { method: 'POST' })).to.match(/^200 /)
      await way.lead(shop().port)
      await eventually(async () => (await alerts()).length > 0, 'it is named')
      expect((await alerts())[0]?.desc).to.not.include('shop')
      expect(await owner.line(`${at}/variables`)).to.not.include('datadir')
      await expectNoPower()
      const logged = manager
        .log()
        .split('\n')
        .filter((line) => line.includes('server-left-alone'))
      expect(logged.join('\n')).to.include(`${addressOf(shop())} of cluster shop`)
      // Its own server answers: then the way to it turns, which the sessions that are open do not show.
      await way.lead(own.node(0).port)
      await eventually(async () => (await alerts()).length === 0, 'the finding closes')
      await eventually(
        async () => !['Suspect', 'Failed', 'SlaveAuthError', undefined].includes(await stateOf()),
        'its own is seen',
      )
      way.turn(shop().port)
      await expectNoPower()
    } finally {
      await owner.line(`${LAB}/actions/dropserver/127.0.0.1/${way.port}`, { method: 'POST' })
      await way.close()
      await own.teardown()
    }
  })

  it('closes no server that was never part of its cluster, also one that could not be recognised', async () => {
    const stranger = await startDatabases({ count: 1, prefix: 'stranger' })
    try {
      await prepareWrites(stranger.node(0))
      const added = await owner.line(`${LAB}/actions/addserver/127.0.0.1/${stranger.node(0).port}`, { method: 'POST' })
      expect(added).to.match(/^200 /)
      await eventually(async () => {
        const servers = await owner.json<readonly { url: string; state: string }[]>(`${LAB}/topology/servers`)
        return servers.length === 2 && servers.every(({ state }) => !['Suspect', 'Failed'].includes(state))
      }, 'both servers are seen')
      await eventually(async () => {
        const { errors } = await manager.get<{ errors: readonly { number: string }[] }>(`${LAB}/topology/alerts`)
        return errors.some(({ number }) => number === 'ERR00066')
      }, 'what it is not a part of is named')
      expect(await stranger.node(0).value('SELECT @@global.read_only')).to.equal('0')
    } finally {
      await stranger.teardown()
    }
  })
})
