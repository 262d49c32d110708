// Passwords that stand in the configuration are rotated as well: the saved ones hold while the file gives the old ones,
// whatever becomes of the manager meanwhile, and give way as soon as it gives others.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { accounts, type Databases, startDatabases } from '../support/databases/database.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { type Logins, opens, RotationDesk } from '../support/manager/rotation.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('rotated passwords that stand in the configuration file', function () {
  this.timeout(900_000)
  let databases: Databases
  let manager: ManagerProcess
  let desk: RotationDesk
  let gate: TcpGate
  const given = { monitor: accounts.monitor.password, replication: accounts.replication.password }

  const view = async () => {
    const settings = await manager.get<readonly { name: string; origin: string; replaces?: string }[]>(
      `${C}/settings?detail=true`,
    )
    return settings.find(({ name }) => name === 'db-servers-credential')
  }
  const finding = async () => {
    const { warnings } = await manager.get<{ warnings: { number: string; desc: string }[] }>(`${C}/topology/alerts`)
    return warnings.find(({ number }) => number === 'WARN0323')?.desc
  }
  const isPrimary = () =>
    eventually(
      async () => (await manager.get<readonly { state: string }[]>(`${C}/topology/servers`))[0]?.state === 'Master',
      () => `it is probed\n${desk.log()}`,
    )
  const configure = ({ monitor, replication }: Logins) =>
    manager.configure({
      settings: { 'monitoring-key-path': desk.keyFile },
      clusters: {
        story: {
          'db-servers-hosts': gate.address,
          'prov-db-tags': 'innodb',
          'db-servers-credential': `monitor:${monitor}`,
          'replication-credential': `repl:${replication}`,
        },
      },
    })

  before(async () => {
    databases = await startDatabases({ count: 1 })
    gate = await TcpGate.to(databases.node(0).port)
    manager = await ManagerProcess.create({ clusters: {} })
    desk = await RotationDesk.open(manager, [gate])
    configure(given)
    manager.start()
    await manager.alive()
    await isPrimary()
  })
  after(async () => {
    await manager?.destroy()
    await databases?.teardown()
    await gate?.close()
  })

  it('change too: the saved ones hold while the file has the old ones, which is reported', async () => {
    expect(await view()).to.include({ origin: 'file' })
    expect((await desk.begin(true)).phase, desk.log()).to.equal('succeeded')
    expect(desk.saved().monitor).to.not.equal(given.monitor)
    expect(await opens(databases.node(0), 'monitor', given.monitor)).to.equal(false)
    expect(await view()).to.include({ origin: 'rotated' })
    expect((await view())?.replaces).to.contain(manager.configFile)
    await eventually(
      async () => (await finding())?.includes(`${manager.configFile}:`) === true,
      () => `the file is named\n${desk.log()}`,
    )
  })

  it('come out right when the manager is killed wherever it was, and after a reload', async () => {
    for (const early of [['admitting'], ['admitting', 'adopting']]) {
      const old = desk.saved()
      await desk.cut(
        ({ phase }) => !early.includes(phase),
        () => manager.signal('SIGKILL'),
      )
      await manager.end('SIGKILL')
      manager.start()
      await manager.alive()
      await desk.succeeds()
      expect(desk.saved().monitor).to.not.equal(old.monitor)
      expect(await opens(databases.node(0), 'monitor', desk.saved().monitor)).to.equal(true)
      expect(await opens(databases.node(0), 'monitor', old.monitor)).to.equal(false)
      expect((await manager.post(`${C}/settings/actions/reload`)).status).to.equal(200)
      expect(await view()).to.include({ origin: 'rotated' })
      await isPrimary()
    }
  })

  it('are left to the file as soon as it gives others', async () => {
    configure(desk.saved())
    expect((await manager.post(`${C}/settings/actions/reload`)).status).to.equal(200)
    expect(await view()).to.include({ origin: 'file' })
    expect(readFileSync(desk.savedFile, 'utf8')).to.not.contain('credential')
    await eventually(() => manager.log().includes('dropped'), 'the log has it')
    await eventually(
      async () => (await finding()) === undefined,
      () => `nothing is left to report\n${desk.log()}`,
    )
    await isPrimary()
  })
})
