// Self-service over the real configuration, without actors: 50 creations at once, what a new cluster has, what is shared and forgotten.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Clusters } from '../../../../actors/manager/configuration/clusters.js'
import { sponsorGrants } from '../../../../actors/manager/self-service/first-values.js'
import { SelfService, type SelfServiceParts } from '../../../../actors/manager/self-service/self-service.js'
import type { Caller } from '../../../../actors/protocol/manager/caller.js'
import type { Supervisor } from '../../../../actors/supervisor/index.js'
import { createAccess } from '../../../../lib/access/index.js'
import { done, ok, type Result, unwrap } from '../../../../lib/base/result.js'
import { isSecret, reveal } from '../../../../lib/base/secret.js'
import { accessLists } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'
import { newDirectory } from '../../../support/machine/directories.js'

const USERS = Array.from({ length: 10 }, (_, index) => `u${index}@shop.example`)

const section = (more: Readonly<Record<string, string | number | boolean>> = {}, rest = ''): string => {
  const values = {
    hosted: true,
    'hosted-self-service-clusters': true,
    'prov-orchestrator': 'local',
    'prov-db-dbu': 2,
    'prov-service-plan-apu': 1,
    'api-credentials': `admin:secret,local:word,${USERS.map((user) => `${user}:`).join(',')}`,
    'api-credentials-acl-allow': 'admin:cluster db proxy prov global grant show',
    ...more,
  }
  const lines = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return `[Default]\n${lines.join('\n')}\n${rest}`
}

interface World {
  readonly clusters: Clusters
  readonly service: SelfService
  readonly log: string[]
  readonly warned: string[]
  readonly datadir: string
  /** Questions about what a cluster uses. */
  readonly usages: string[]
}

/** What an actor does is not needed here. */
const noActors = {
  add: () => done,
  remove: async () => {},
  updateInit: () => {},
  ref: () => undefined,
} as unknown as Supervisor

async function open(text: string, parts: Partial<SelfServiceParts> = {}): Promise<World> {
  const place = ground(text)
  const clusters = new Clusters(noActors, await place.configuration())
  const world = { log: [] as string[], warned: [] as string[], usages: [] as string[] }
  const service = new SelfService({
    clusters,
    usage: async (cluster) => {
      world.usages.push(cluster)
      const running = { all: 1, running: 1 }
      return ok({ databases: running, proxies: { all: 0, running: 0 }, localBytes: 0, archivedBytes: 0 })
    },
    removeServices: async () => done,
    warn: (cluster, line) => void world.warned.push(`${cluster}: ${line}`),
    mail: async () => done,
    log: (_, code, fields = {}) => void world.log.push(`${code} ${JSON.stringify(fields)}`),
    ...parts,
  })
  return { ...world, clusters, service, datadir: place.datadir }
}

const caller = (user: string): Caller => ({ user, address: '127.0.0.1', may: () => false, sees: () => false })
const create = ({ service }: World, name: string, user: string) =>
  service.create({ name, form: {}, caller: caller(user) })
const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.failure.code)
const messageOf = (result: Result<unknown>): string => (result.ok ? '' : result.failure.message)

describe('SelfService', () => {
  it('gives 50 creations at once no more than the limit of one identity', async () => {
    const world = await open(section({ 'hosted-self-service-max-clusters-per-user': 3 }))
    const [user = ''] = USERS
    const created = await Promise.all(Array.from({ length: 50 }, (_, index) => create(world, `c${index}`, user)))
    expect(created.filter((one) => one.ok)).to.have.length(3)
    expect(world.clusters.configuration.clusters.size).to.equal(3)
    expect(new Set(created.map(codeOf))).to.deep.equal(new Set(['ok', 'self-service-refused']))
  })

  it('gives 50 creations of ten identities at once no more than the pool', async () => {
    // Four DBU and an APU each: seven fit 36 cores, the memory would hold more.
    const capacity = { 'resource-manager-infra-cpu-cores': 48, 'resource-manager-infra-memory-mb': 1_000_000 }
    const world = await open(section({ ...capacity, 'resource-manager-infra-quota-pct': 75 }))
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(world, `c${index}`, USERS[index % USERS.length] ?? '')),
    )
    expect(created.filter((one) => one.ok)).to.have.length(7)
    const refusals = new Set(created.map(messageOf))
    expect(refusals).to.include('4 DBU and 1 APU are needed, 1 DBU or 1 APU of the pool are free')
  })

  it('makes one cluster of one name, whichever identity is first', async () => {
    const world = await open(section())
    const created = await Promise.all(USERS.map((user) => create(world, 'shop', user)))
    expect(created.filter((one) => one.ok)).to.have.length(1)
    expect(created.map(codeOf).filter((code) => code !== 'ok' && code !== 'data-exists')).to.deep.equal([])
  })

  it('gives the place back when a cluster is dropped, and no new cluster the files of an old one', async () => {
    const world = await open(section({ 'hosted-self-service-max-clusters-per-user': 1 }))
    const [user = ''] = USERS
    unwrap(await create(world, 'one', user))
    expect(messageOf(await create(world, 'two', user))).to.equal('1 of 1 clusters are in use: drop one first')
    unwrap(await world.clusters.remove('one'))
    world.service.forget()
    expect(await world.service.status(caller(user))).to.include({ enabled: true, used: 0, remaining: 1 })
    expect(codeOf(await create(world, 'one', user))).to.equal('data-exists')
    unwrap(await create(world, 'two', user))
  })

  it('makes a cluster with its plan, accounts of its own, and its sponsor, kept over a restart', async () => {
    const world = await open(section({ 'db-servers-credential': 'root:of-the-operator' }))
    const [user = '', other = ''] = USERS
    unwrap(await create(world, 'mine', user))
    unwrap(await create(world, 'theirs', other))
    const mine = world.clusters.settings('mine')
    const theirs = world.clusters.settings('theirs')
    if (!mine || !theirs) throw new Error('not created')
    expect(mine).to.include({
      ...{ 'hosted-self-service-sponsor': user, 'prov-orchestrator': 'local', 'prov-db-apply-dynamic-config': true },
      ...{ 'prov-db-dbu': 2, 'prov-service-plan-apu': 1 },
    })
    const accounts = [mine, theirs].flatMap((each) =>
      (['db-servers-credential', 'replication-credential'] as const).map((name) => reveal(each[name])),
    )
    const proxies = [mine, theirs].map((each) => reveal(each['haproxy-password']))
    expect(new Set([...accounts, ...proxies]).size).to.equal(6)
    for (const account of accounts) expect(account).to.match(/^(monitor|replication):.{32}$/)
    const saved = world.clusters.configuration.clusters.get('mine')
    expect(saved?.runtime.size).to.equal(0)
    expect(saved?.added).to.equal(true)
  })

  it('gives the sponsor its grants on that cluster, and nothing anywhere else', async () => {
    const world = await open(section())
    const [user = '', other = ''] = USERS
    unwrap(await create(world, 'mine', user))
    unwrap(await create(world, 'theirs', other))
    const { clusters, server } = world.clusters.configuration
    const access = createAccess({
      ...accessLists(server.settings),
      clusters: Object.fromEntries([...clusters].map(([name, { settings }]) => [name, accessLists(settings)])),
    })
    const held = access.grantsOn({ user }, 'mine')
    for (const grant of ['db-start', 'cluster-delete', 'prov-db-provision', 'cluster-create-monitor'])
      expect(held).to.include(grant)
    for (const grant of [
      'prov-settings',
      'prov-cluster',
      'cluster-create',
      'cluster-grant',
      'grant-add',
      'sales-validate',
    ])
      expect(held).to.not.include(grant)
    expect(held.filter((grant) => !sponsorGrants.some((word) => grant.startsWith(word)))).to.deep.equal([])
    for (const place of ['theirs', '']) expect(access.grantsOn({ user }, place)).to.deep.equal([])
  })

  it('refuses what is no identity as a missing grant, and logs each other refusal', async () => {
    const world = await open(section({ 'hosted-self-service-max-clusters-per-user': 0 }))
    const [user = ''] = USERS
    const form = (given: object) => world.service.create({ name: 'c', form: given, caller: caller(user) })
    expect(codeOf(await create(world, 'c', 'local'))).to.equal('no-grant')
    expect(codeOf(await create(world, 'c', 'stranger'))).to.equal('no-grant')
    expect(world.log).to.deep.equal([])
    expect(codeOf(await create(world, 'c', user))).to.equal('self-service-refused')
    expect(messageOf(await form({ plan: 'x1' }))).to.match(/^no service plan is chosen/)
    expect(messageOf(await form({ orchestrator: 'kube' }))).to.match(/local, not kube$/)
    expect(world.log).to.have.length(3)
    expect(world.log[0]).to.match(/^hosted_self_service_cluster .*"refused":"0 of 0/)
  })

  it('offers no orchestrator whose hosts are those of the operator, or that it cannot act on', async () => {
    for (const orchestrator of ['onpremise', 'slapos', 'opensvc', 'kube']) {
      const world = await open(section({ 'prov-orchestrator': orchestrator }))
      expect(messageOf(await create(world, 'c', USERS[0] ?? ''))).to.match(
        new RegExp(`^orchestrator ${orchestrator}: `),
      )
    }
  })

  it('creates nothing that a restart would lose in part', async () => {
    const world = await open(section({ 'monitoring-save-config': false }))
    expect(codeOf(await create(world, 'c', USERS[0] ?? ''))).to.equal('wrong-state')
    expect(world.clusters.configuration.clusters.size).to.equal(0)
  })

  it('notifies the operator: security log, log of the cluster, mail; a mail that fails is logged', async () => {
    const mails: string[] = []
    const mail: SelfServiceParts['mail'] = async (settings, subject, text) => {
      mails.push(`${settings['mail-to']} ${subject} ${text}`)
      return { ok: false, failure: { code: 'mail-failed', message: 'away' } }
    }
    const world = await open(section({ 'mail-to': 'ops@example.com' }), { mail })
    unwrap(await create(world, 'shop', USERS[0] ?? ''))
    await new Promise(setImmediate)
    expect(world.log[0]).to.match(/^hosted_self_service_cluster .*"cluster":"shop","user":"u0@shop.example"/)
    expect(world.log[1]).to.match(/^self-service-mail-failed .*away/)
    expect(world.warned).to.deep.equal([
      'shop: shop was created in self-service by u0@shop.example, on the orchestrator local. It reserves 4 DBU and 1 APU.',
    ])
    expect(mails[0]).to.match(/^ops@example.com shop: created in self-service /)
    expect(world.log.join('\n') + world.warned.join('\n') + mails.join('\n')).to.not.match(/monitor:/)
  })

  it('computes once for all that ask meanwhile, and at each request where nothing is kept', async () => {
    const lending = { 'hosted-self-service-clusters-can-borrow': true, 'resource-manager-infra-cpu-cores': 8 }
    for (const [seconds, times] of [
      [600, 1],
      [0, 20],
    ] as const) {
      const kept = { ...lending, 'hosted-self-service-cache-seconds': seconds }
      const world = await open(section(kept, '[a]\ndb-servers-hosts = "db1:3306"\n'))
      const asked = await Promise.all(
        Array.from({ length: 20 }, (_, index) => world.service.status(caller(USERS[index % 10] ?? ''))),
      )
      expect(world.usages).to.have.length(times)
      expect(asked[0]).to.deep.include({ enabled: true, identity: USERS[0], poolOk: true, borrowed: false })
    }
  })

  it('keeps the verdict of the gate for an identity, asks it at every creation, and keeps none that was not given', async () => {
    const folder = newDirectory('gates')
    const [script, calls] = [path.join(folder, 'gate'), path.join(folder, 'calls')]
    const answer = (lines: string) =>
      writeFileSync(script, `#!/bin/sh\necho "$1" >> ${calls}\n${lines}\n`, { mode: 0o755 })
    const count = () => readFileSync(calls, 'utf8').split('\n').length - 1
    answer('echo "no credit"; exit 1')
    const gated = { 'hosted-self-service-clusters-enabled-script': script, 'hosted-self-service-cache-seconds': 600 }
    const world = await open(section(gated))
    const [user = '', other = ''] = USERS
    for (const _ of [1, 2]) expect(await world.service.status(caller(user))).to.include({ reason: 'no credit' })
    expect(count()).to.equal(1)
    for (const name of ['a', 'b']) expect(messageOf(await create(world, name, user))).to.equal('no credit')
    expect(count()).to.equal(3)
    answer('kill -KILL $$')
    for (const _ of [1, 2]) expect((await world.service.status(caller(other))).enabled).to.equal(false)
    expect(count()).to.equal(5)
    answer('exit 0')
    expect((await world.service.status(caller(other))).enabled).to.equal(true)
    unwrap(await create(world, 'c', user))
  })

  it('computes nothing, and runs no script, while it is off', async () => {
    const off = { 'hosted-self-service-clusters': false, 'hosted-self-service-clusters-can-borrow': true }
    const more = { 'resource-manager-infra-cpu-cores': 8, 'hosted-self-service-clusters-enabled-script': '/missing' }
    const world = await open(section({ ...off, ...more }, '[a]\ndb-servers-hosts = "db1:3306"\n'))
    const status = await world.service.status(caller(USERS[0] ?? ''))
    expect(status).to.include({ enabled: false, reason: 'hosted-self-service-clusters is off' })
    expect(status).to.not.have.property('pool')
    expect(messageOf(await create(world, 'c', USERS[0] ?? ''))).to.equal('hosted-self-service-clusters is off')
    expect([world.usages, world.log.filter((line) => line.startsWith('gate'))]).to.deep.equal([[], []])
  })

  it('removes services before their sponsor drops the cluster, and for no other', async () => {
    const removed: string[] = []
    const removeServices = async (cluster: string, user: string) => {
      removed.push(`${cluster} ${user}`)
      return done
    }
    const world = await open(section({}, '[of-operator]\n'), { removeServices })
    const [user = '', other = ''] = USERS
    unwrap(await create(world, 'shop', user))
    for (const [cluster, who] of [
      ['shop', caller(other)],
      ['of-operator', caller(user)],
      ['shop', { ...caller(user), may: () => true }],
      ['shop', caller(user)],
    ] as const)
      unwrap(await world.service.clear(cluster, who))
    expect(removed).to.deep.equal([`shop ${user}`])
    expect([world.service.sponsors(user, 'shop'), world.service.sponsors('', 'of-operator')]).to.deep.equal([
      true,
      false,
    ])
    expect(isSecret(world.clusters.settings('shop')?.['db-servers-credential'])).to.equal(true)
  })
})
