// The state of a release on a running manager: recorded, brought forward, archived while it runs, put in place, refused when newer.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { restoreState } from '../../bin/state/restore-state.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { FORMAT_FILE } from '../../lib/store/index.js'
import { send } from '../support/http/test-gateway.js'
import { runDaemon } from '../support/manager/daemon-run.js'
import { ManagerProcess } from '../support/manager/manager-process.js'

/**
 * Recorded by `manager backup-state --plain` of this release: cluster shop with failover-limit set to 7 by the API, and an API token.
 * Each format keeps its record: a later release adds one and leaves this where it is.
 */
const recorded = path.join(packageRoot, 'spec/fixture/state/format-1.tar.gz')
const TOKEN = 'mat_KHScg-LaOUPa9rEcPWDpN7YK3ln1nIpMCxe1lXe0hSU'

describe('the state of a release', () => {
  let manager: ManagerProcess

  before(async () => {
    manager = await ManagerProcess.create({
      clusters: {
        shop: { 'db-servers-hosts': '127.0.0.1:1', 'db-servers-credential': 'manager:x', 'monitoring-observe': true },
      },
    })
    mkdirSync(manager.dataDirectory)
  })

  after(() => manager.destroy())

  const states = (...words: readonly string[]) => runDaemon([...words, '--config', manager.configFile])

  async function start(): Promise<void> {
    manager.start()
    await manager.alive()
  }

  /** What the recorded manager was given holds on this one. */
  async function expectRecorded(): Promise<void> {
    const saved = readFileSync(path.join(manager.dataDirectory, 'shop/shop.toml'), 'utf8')
    expect(saved).to.match(/failover-limit = 7/)
    const settings = await manager.get<{ readonly config: { readonly failoverLimit: number } }>('/api/clusters/shop')
    expect(settings.config.failoverLimit).to.equal(7)
    const headers = { Authorization: `Bearer ${TOKEN}` }
    expect((await send('/api/clusters/shop/topology/servers', { port: manager.apiPort, headers })).status).to.equal(200)
  }

  it('is in force after the format was taken back and brought forward again', async () => {
    const restored = await restoreState({ file: recorded, directory: manager.dataDirectory })
    expect(restored.ok ? restored.value : restored.failure.message).to.contain('format 1')
    expect((await states('state-format', '0')).out).to.contain('format 0')
    expect((await states('state-format')).out).to.contain('format 0; this version writes format 1')
    await start()
    expect((await states('state-format')).out).to.contain('format 1')
    await expectRecorded()
  })

  it('is archived while the manager runs, which refuses to be restored onto', async () => {
    const file = path.join(manager.directory, 'state.age')
    const keys = path.join(manager.directory, 'state-keys.txt')
    const made = await states('backup-state', file, '--keys', keys)
    expect(made.status, made.err).to.equal(0)
    for (const words of [
      ['restore-state', file, '--keys', keys],
      ['state-format', '0'],
    ]) {
      const refused = await states(...words)
      expect(refused.status).to.equal(1)
      expect(refused.err).to.contain('stop it first')
    }
    expect(await manager.end('SIGTERM')).to.equal(0)
    writeFileSync(path.join(manager.dataDirectory, 'shop/shop.toml'), 'lost')
    const restored = await states('restore-state', file, '--keys', keys)
    expect(restored.status, restored.err).to.equal(0)
    await start()
    await expectRecorded()
    await manager.end('SIGTERM')
  })

  it('is refused when a newer version wrote it, and is not changed', async () => {
    const text = '{"format":2,"version":"0.2.0"}\n'
    writeFileSync(path.join(manager.dataDirectory, FORMAT_FILE), text)
    const refused = await states('monitor')
    expect(refused.status).to.equal(1)
    expect(refused.err).to.contain('format 2, written by manager 0.2.0')
    expect(readFileSync(path.join(manager.dataDirectory, FORMAT_FILE), 'utf8')).to.equal(text)
  })
})
