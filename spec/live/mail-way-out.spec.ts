// The mail of the service is no way out: an owner of one cluster against the passwords of others, the vault and foreign mailboxes.
import { expect } from 'chai'
import { MailSink } from '../support/machine/mail-sink.js'
import { ApiUser } from '../support/manager/api-user.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { startOwnedClusters } from '../support/manager/owned-clusters.js'

const LAB = '/api/clusters/lab'
const OPS = 'ops@service.example'
const ANN = 'ann@service.example'
const STRANGER = 'eve@elsewhere.example'

describe('The mail of the service', () => {
  const sink = new MailSink()
  let manager: ManagerProcess
  let owner: ApiUser
  let admin: ApiUser

  before(async () => {
    await sink.open()
    manager = await startOwnedClusters(
      { nodes: [] },
      {
        'mail-smtp-addr': `127.0.0.1:${sink.port}`,
        'mail-smtp-tls-skip-verify': true,
        'mail-from': 'manager@service.example',
        'mail-to': OPS,
        'vault-server-addr': 'https://vault.service.example:8200',
        'vault-token': 'hvs.of-the-service',
      },
    )
    owner = await ApiUser.login(manager, 'eve', 'eve-password')
    admin = await ApiUser.login(manager, 'admin', 'spec-password')
    for (const cluster of ['lab', 'shop'])
      expect(await admin.line(`/api/clusters/${cluster}/users/add`, { body: user('bob@service.example') })).to.match(
        /^200/,
      )
    expect(await admin.line(`${LAB}/users/add`, { body: user(ANN) })).to.match(/^200/)
    expect(await set(owner, 'mail-to', STRANGER)).to.match(/^200/)
  })
  after(async () => {
    await manager?.destroy()
    await sink.close()
  })

  const user = (username: string) => ({ username, password: 'first-password', roles: '', grants: 'show' })
  const set = (who: ApiUser, name: string, value: string) =>
    who.line(`${LAB}/settings/actions/set/${name}`, { body: { value } })
  const mailed = (who: ApiUser, username: string, type = 'sys') =>
    who.line(`${LAB}/users/send-credentials`, {
      body: { username, type },
      headers: { accept: 'application/problem+json, */*' },
    })
  /** Alerts go their own way meanwhile. */
  const accounts = () => sink.mails.filter(({ text }) => text.includes('once_'))
  const tests = () => sink.mails.filter(({ subject }) => subject.includes('test'))
  const token = () => /token=(once_[\w-]+)/.exec(accounts().at(-1)?.text ?? '')?.[1]
  const redeemed = (body: Readonly<Record<string, unknown>>) =>
    new ApiUser(manager).line('/api/one-time-credentials', { body })
  const isIn = (username: string, password: string) =>
    ApiUser.login(manager, username, password).then(
      () => true,
      () => false,
    )

  it('carries no password, account or token to an address that an owner chose', async () => {
    expect(await mailed(owner, 'admin')).to.match(/^403 .*you do not hold/)
    expect(await mailed(owner, 'eve')).to.match(/^409 .*api-credentials/)
    expect(await mailed(owner, 'admin', 'db')).to.match(/^403 /)
    expect(await owner.line(`${LAB}/send-vault-token`, { method: 'POST' })).to.match(/^403 /)
    expect(await admin.line(`${LAB}/send-vault-token`, { method: 'POST' })).to.match(/^409 .*mail-to .*run time/)
    expect(accounts()).to.deep.equal([])
  })

  it('is sent neither from another address nor with another account of its server', async () => {
    for (const name of ['mail-from', 'mail-smtp-user', 'mail-smtp-password'])
      expect(await set(owner, name, STRANGER), name).to.match(/^403 .*global-settings/)
  })

  it("asks for what the user holds, also on clusters that are not the asker's", async () => {
    expect(await mailed(owner, 'bob@service.example')).to.match(/^403 .*show on another cluster/)
    expect(accounts()).to.deep.equal([])
    expect(await mailed(admin, 'bob@service.example')).to.match(/^200/)
    expect(accounts().map(({ to }) => to)).to.deep.equal([['bob@service.example']])
  })

  it('opens an account by a new password: the old one is not shown, and no longer a way in', async () => {
    const session = await ApiUser.login(manager, ANN, 'first-password')
    expect(await mailed(owner, ANN)).to.match(/^200/)
    expect(accounts().at(-1)?.to).to.deep.equal([ANN])
    const once = token()
    const made = await redeemed({ token: once })
    expect(made).to.match(/^200 .*"user":"ann@service\.example"/)
    expect(made).to.not.include('first-password')
    const { password } = JSON.parse(made.slice('200 '.length)) as { password: string }
    expect(await session.line(`${LAB}/topology/servers`)).to.match(/^401 /)
    expect([await isIn(ANN, 'first-password'), await isIn(ANN, password)]).to.deep.equal([false, true])
    expect(await redeemed({ token: once }), 'once').to.match(/^404 /)
  })

  it('lets the user choose the password, and opens nothing after another change of it', async () => {
    expect(await mailed(owner, ANN)).to.match(/^200/)
    const first = token()
    expect(await mailed(owner, ANN)).to.match(/^200/)
    const second = token()
    expect(await redeemed({ token: second, password: 'a, comma' })).to.match(/^400 .*password/)
    expect(await redeemed({ token: second, password: 'chosen-password' })).to.match(/^200 /)
    expect(await redeemed({ token: first, password: 'too-late' })).to.match(/^404 /)
    expect(await isIn(ANN, 'chosen-password')).to.equal(true)
  })

  it('carries the account of the databases where it is that of the cluster alone', async () => {
    expect(await mailed(owner, ANN, 'db'), 'shop has the same account').to.match(/^403 .*other clusters/)
    expect(await set(owner, 'db-servers-credential', 'lab:lab-password')).to.match(/^200/)
    expect(await mailed(owner, 'guest', 'db')).to.match(/^(409|500) /)
    expect(await mailed(owner, ANN, 'db')).to.match(/^200/)
    const once = token()
    expect(await redeemed({ token: once, password: 'mine' })).to.match(/^400 .*password/)
    expect(await redeemed({ token: once })).to.equal('200 {"user":"lab","password":"lab-password"}')
  })

  it('carries the token of the vault to the address of the configuration files, for administrators', async () => {
    expect(await admin.line('/api/clusters/shop/send-vault-token', { method: 'POST' })).to.match(/^200/)
    expect(accounts().at(-1)?.to).to.deep.equal([OPS])
    expect(await redeemed({ token: token() })).to.include('hvs.of-the-service')
  })

  it('reaches only domains of mail-allowed-domains, apart from what the files name', async () => {
    const domains = '/api/clusters/settings/actions/set/mail-allowed-domains'
    expect(await admin.line(domains, { body: { value: 'service.example' } })).to.match(/^200/)
    const before = accounts().length
    expect(await owner.line(`${LAB}/alerts/test/mail`, { method: 'POST' }), 'set before').to.match(/^400 /)
    for (const address of [STRANGER, `${ANN},${STRANGER}`, `<${STRANGER}>${ANN}`, `${STRANGER} ${ANN}`])
      expect(await set(owner, 'mail-to', address), address).to.match(/^400 .*mail-allowed-domains/)
    expect(await set(owner, 'alert-escalation-mail-to', STRANGER)).to.match(/^400 .*mail-allowed-domains/)
    expect(await owner.line(`${LAB}/users/add`, { body: user(STRANGER) })).to.match(/^200/)
    expect(await mailed(owner, STRANGER)).to.match(/^409 .*mail-allowed-domains/)
    expect([tests(), accounts().length]).to.deep.equal([[], before])
    expect(await set(owner, 'mail-to', ANN)).to.match(/^200/)
    expect(await owner.line(`${LAB}/alerts/test/mail`, { method: 'POST' })).to.match(/^200/)
    expect(tests().map(({ to }) => to)).to.deep.equal([[ANN]])
  })

  it('takes a bounded number of tests and of accounts from a cluster', async () => {
    const many = Array.from({ length: 30 })
    const tested: string[] = []
    for (const _ of many) tested.push(await owner.line(`${LAB}/alerts/test/mail`, { method: 'POST' }))
    expect(tested.at(-1)).to.match(/^429 /)
    const asked: string[] = []
    for (const _ of many) asked.push(await mailed(owner, ANN))
    expect(asked.at(-1)).to.match(/^429 /)
    const ofLab = accounts().filter(({ subject }) => subject.startsWith('lab:'))
    expect([tests().length, ofLab.length]).to.deep.equal([20, 20])
    expect(await admin.line('/api/clusters/shop/alerts/test/mail', { method: 'POST' }), 'another cluster').to.match(
      /^200/,
    )
  })
})
