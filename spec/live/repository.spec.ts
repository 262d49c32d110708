// The configuration in a real git repository behind git http-backend: pushed with its authors, refused, queued, merged, decided, rolled back.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { CommitView, RepositoryView } from '../../actors/protocol/manager/repository.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { GitHost } from '../support/machine/git-host.js'
import { textsBelow } from '../support/machine/texts-below.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/shop'
const SECRET = 'a-password-of-the-databases'

describe('the configuration in git', () => {
  const host = new GitHost()
  let manager: ManagerProcess

  const view = () => manager.get<RepositoryView>('/api/repository')
  const set = async (name: string, value: string | number, scope = C) => {
    const { status, body } = await manager.post(`${scope}/settings/actions/set/${name}`, { value })
    expect(status, body).to.equal(200)
  }
  const value = async (name: string) => {
    const settings = await manager.get<{ name: string; value: unknown }[]>(`${C}/settings?detail=true&name=${name}`)
    return settings.find((each) => each.name === name)?.value
  }
  const isIn = (state: RepositoryView['state']) =>
    eventually(
      async () => (await view()).state === state,
      () => `the repository is ${state}\n${manager.log().slice(-6_000)}`,
    )
  const pushed = (subject: RegExp) =>
    eventually(
      () => host.commits().some((commit) => subject.test(commit.subject)),
      () => `a commit ${subject} among ${JSON.stringify(host.commits())}\n${manager.log().slice(-6_000)}`,
    )

  before(async () => {
    await host.open()
    manager = await ManagerProcess.create({
      settings: {
        'git-url': host.url,
        'git-username': host.account.user,
        'git-acces-token': host.account.token,
        'git-monitoring-ticker': 1,
        'monitoring-ticker': 1,
      },
      clusters: {
        shop: { 'db-servers-hosts': '127.0.0.1:1', 'db-servers-credential': `monitor:${SECRET}` },
        other: { 'db-servers-hosts': '127.0.0.1:2' },
      },
    })
    const text = readFileSync(manager.configFile, 'utf8')
    const key = path.join(manager.directory, 'key')
    writeFileSync(manager.configFile, text.replace('[Default]\n', `[Default]\nmonitoring-key-path = "${key}"\n`))
    execFileSync(path.join(packageRoot, 'bin/manager'), ['keygen', key])
    manager.start()
    await manager.alive()
  })
  after(async () => {
    await manager?.destroy()
    await host.away()
  })

  it('is pushed at the start, with what the files give and no secret in clear', async () => {
    await isIn('current')
    expect(host.file('hosted.toml')).to.match(/clusters = \[ "other", "shop" \]/)
    expect(host.file('shop/immutable.toml')).to.match(/db-servers-credential = "aes256gcm:/)
  })

  it('has a commit of the user for a change, and none where nothing changes', async () => {
    await set('failover-limit', 3)
    await pushed(/^shop: failover-limit from 5 to 3$/)
    expect(host.commits().at(-1)?.author).to.equal('admin')
    const count = host.commits().length
    expect((await manager.post('/api/repository/actions/push')).status).to.equal(200)
    expect(host.commits().length).to.equal(count)
  })

  it('keeps the encrypted form of a secret that is the same', async () => {
    await set('mail-smtp-password', 'a-password-of-mail')
    await pushed(/mail-smtp-password/)
    const sealed = /mail-smtp-password = "(.*)"/.exec(host.file('shop/shop.toml'))?.[1]
    await set('failover-max-slave-delay', 31)
    await pushed(/failover-max-slave-delay/)
    expect(host.file('shop/shop.toml')).to.include(`mail-smtp-password = "${sealed}"`)
  })

  it('waits while the repository is away, and is pushed when it is back', async () => {
    await host.away()
    await set('failover-time-limit', 77)
    await isIn('failed')
    await eventually(async () => (await view()).queued.includes('shop/shop.toml'), 'the file waits')
    await host.back()
    await pushed(/failover-time-limit/)
    await isIn('current')
  })

  it('is refused with a wrong token, and goes on with the right one', async () => {
    host.account.token = 'another-token'
    await isIn('failed')
    expect((await view()).problem).to.match(/authentication failed/i)
    host.account.token = 'glpat-of-the-spec'
    await isIn('current')
  })

  it('is not committed while a file has a secret in clear', async () => {
    const file = path.join(manager.dataDirectory, 'shop', 'shop.toml')
    const sound = readFileSync(file, 'utf8')
    writeFileSync(file, `${sound}replication-credential = "repl:in-the-clear"\n`)
    const refused = await manager.post('/api/repository/actions/push')
    expect([refused.status, refused.body]).to.satisfy(
      ([status, body]: [number, string]) =>
        status === 409 && /shop\/shop.toml: replication-credential is in clear/.test(body),
    )
    expect(refused.body).to.not.include('in-the-clear')
    expect((await view()).state).to.equal('refused')
    writeFileSync(file, sound)
    expect((await manager.post('/api/repository/actions/push')).status).to.equal(200)
    expect(host.everything()).to.not.include('in-the-clear')
  })

  it('shows a change of others as a plan, and applies it when asked', async () => {
    const commit = host.edit('shop/shop.toml', (text) => `${text}failover-mode = "automatic"\n`)
    await isIn('waiting')
    expect((await view()).incoming?.commit).to.include({ id: commit, author: 'bob' })
    const plan = await manager.post(`/api/repository/actions/apply/${commit}?plan=true`)
    expect(plan.status, plan.body).to.equal(200)
    expect(JSON.parse(plan.body)).to.deep.include({
      possible: true,
      changes: [{ what: 'failover-mode', before: 'manual', after: 'automatic' }],
    })
    expect(await value('failover-mode')).to.equal('manual')
    const applied = await manager.post(`/api/repository/actions/apply/${commit}`)
    expect(applied.status, applied.body).to.equal(200)
    expect(await value('failover-mode')).to.equal('automatic')
    expect((await view()).state).to.equal('current')
  })

  it('refuses a change of others that is not valid, and changes nothing', async () => {
    const commit = host.edit(
      'shop/shop.toml',
      (text) => `${text}failover-falsepositive-ping-counter = "many"\nautorejoin = false\n`,
    )
    await isIn('waiting')
    const applied = await manager.post(`/api/repository/actions/apply/${commit}`)
    expect(applied.status, applied.body).to.equal(400)
    expect(await value('autorejoin')).to.equal(true)
    const rejected = await manager.post(`/api/repository/actions/reject/${commit}`)
    expect(rejected.status, rejected.body).to.equal(200)
    expect(host.file('shop/shop.toml')).to.not.include('many')
    expect(host.commits().at(-1)?.subject).to.match(/^the changes up to [0-9a-f]{12} are rejected$/)
    expect((await view()).state).to.equal('current')
  })

  it('keeps its own value where both sides changed a setting, and says so', async () => {
    await host.away()
    await set('failover-limit', 8)
    host.edit('shop/shop.toml', (text) => text.replace(/failover-limit = \d+/, 'failover-limit = 9'))
    await host.back()
    await eventually(() => /failover-limit = 8/.test(host.file('shop/shop.toml')), 'the value that runs is pushed')
    await eventually(async () => (await view()).conflicts.includes('shop: failover-limit'), 'the conflict is named')
    expect(await value('failover-limit')).to.equal(8)
  })

  it('goes back to any commit', async () => {
    const commits = await manager.get<CommitView[]>('/api/repository/commits')
    const commit = commits.find(({ subject }) => /^shop: failover-limit from 5 to 3$/.test(subject))?.id
    const back = await manager.post(`/api/repository/actions/roll-back/${commit}`)
    expect(back.status, back.body).to.equal(200)
    expect([await value('failover-limit'), await value('failover-mode')]).to.deep.equal([3, 'manual'])
    await eventually(() => host.commits().some(({ body }) => body.includes('rolled back to')), 'the commit names it')
  })

  it('applies a valid change at once where git-changes says so', async () => {
    await set('git-changes', 'apply', '/api/clusters')
    host.edit('shop/shop.toml', (text) => `${text}failover-mode = "automatic"\n`)
    await eventually(async () => (await value('failover-mode')) === 'automatic', 'the change is in force')
    const latest = async () => (await manager.get<{ user: string }[]>(`${C}/settings/history`))[0]
    await eventually(async () => (await latest())?.user === 'bob (git)', 'the history names who made it')
  })

  it('is restored on a fresh host that has the key, and only there', async () => {
    await isIn('current')
    await manager.end('SIGTERM')
    const fresh = await ManagerProcess.create({
      settings: {
        'git-url': host.url,
        'git-username': host.account.user,
        'git-acces-token': host.account.token,
        'monitoring-restore-config-on-start': true,
        'monitoring-key-path': path.join(manager.directory, 'missing'),
        'monitoring-ticker': 1,
      },
      clusters: {},
    })
    try {
      fresh.start()
      await eventually(
        () => fresh.pid === 0 && /copy the key file/.test(fresh.log()),
        'the start without the key is refused',
      )
      const text = readFileSync(fresh.configFile, 'utf8')
      writeFileSync(fresh.configFile, text.replace(`${manager.directory}/missing`, `${manager.directory}/key`))
      fresh.start()
      await fresh.alive()
      const settings = await fresh.get<{ name: string; value: unknown }[]>(`${C}/settings?detail=true`)
      const given = (name: string) => settings.find((each) => each.name === name)?.value
      expect([given('db-servers-hosts'), given('failover-limit')]).to.deep.equal(['127.0.0.1:1', 3])
      expect(readFileSync(path.join(fresh.dataDirectory, 'shop', 'shop.toml'), 'utf8')).to.match(
        /db-servers-credential = "aes256gcm:/,
      )
      const isPushed = async () => (await fresh.get<RepositoryView>('/api/repository')).state === 'current'
      await eventually(isPushed, () => `the restored manager agrees with the repository\n${fresh.log().slice(-4_000)}`)
    } finally {
      await fresh.destroy()
    }
  })

  it('holds no token and no secret in clear anywhere', () => {
    const texts = [...textsBelow(path.join(manager.dataDirectory, '.repository')).values()].join('\n')
    for (const secret of [host.account.token, SECRET, 'a-password-of-mail'])
      for (const text of [texts, host.everything(), manager.log()]) expect(text).to.not.include(secret)
  })
})
