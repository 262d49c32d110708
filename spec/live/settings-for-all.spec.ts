// Settings of all clusters, changed while the manager runs: over a restart, beneath what a cluster has of its own; and files read again.
import { expect } from 'chai'
import { Client } from '../support/http/client.js'
import { ManagerProcess } from '../support/manager/manager-process.js'

/** Nothing listens there: the story needs no database. */
const hosts = (last: number) => ({ 'db-servers-hosts': `127.0.0.1:${last}` })

describe('settings for all clusters', () => {
  let manager: ManagerProcess
  let client: Client
  const clusters = { shop: { ...hosts(1), 'mail-to': 'shop@example.com' }, blog: hosts(2), news: hosts(3) }
  const restart = async () => {
    manager.signal('SIGTERM')
    await manager.end('SIGTERM')
    manager.start()
    await manager.alive()
  }
  const said = async (...words: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await client.run(...words)
    expect(status, `${words.join(' ')}: ${stdout}${stderr}`).to.equal(0)
    return stdout
  }
  const mailTo = (cluster: string) => said('--cluster', cluster, 'setting', 'list', '--name', 'mail-to')

  before(async () => {
    manager = await ManagerProcess.create({ clusters })
    manager.start()
    await manager.alive()
    client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
  })
  after(() => manager?.destroy())

  it('hold in every cluster that has no value of its own, and after a restart', async () => {
    expect(await said('setting', 'set-global', 'mail-to', 'dba@example.com')).to.match(
      /^mail-to is dba@example\.com now/,
    )
    await said('--cluster', 'news', 'setting', 'set', 'mail-to', 'news@example.com')
    for (const again of [false, true]) {
      if (again) await restart()
      expect(await mailTo('blog')).to.match(/^mail-to +dba@example\.com +saved +all clusters +is kept$/m)
      expect(await mailTo('news')).to.match(/^mail-to +news@example\.com +saved +is kept$/m)
      expect(await mailTo('shop')).to.match(/^mail-to +shop@example\.com +file +ends with the next start$/m)
    }
    await said('setting', 'clear-global', 'mail-to')
    expect(await mailTo('blog')).to.not.contain('dba@example.com')
  })

  it('are not what each cluster is, and are changed by nobody without a grant for the whole service', async () => {
    const refused = await client.run('setting', 'set-global', 'db-servers-hosts', '127.0.0.1:9')
    expect([refused.status, refused.stderr].join(' ')).to.match(/^2 .*belongs to each cluster alone/s)
    await said(
      '--cluster',
      'blog',
      'user',
      'add',
      'ann',
      '--new-password',
      'secret-of-ann',
      '--grants',
      'cluster-settings',
    )
    const ann = new Client({ port: manager.apiPort, user: 'ann', password: 'secret-of-ann' })
    expect((await ann.run('setting', 'set-global', 'mail-to', 'ann@example.com')).status).to.equal(4)
  })

  it('and files that are read again: what is wrong with them is printed, as by `manager check`', async () => {
    manager.configure({ clusters: { ...clusters, blog: { ...hosts(2), 'failovr-mode': 'manual' } } })
    const reloaded = await said('--cluster', 'blog', 'setting', 'reload')
    expect(reloaded).to.match(/^warning: \S+:\d+: \[blog\] failovr-mode .*did you mean failover-mode\?$/m)
    expect(reloaded).to.match(/^valid: 0 errors, \d+ warnings?, \d+ without effect$/m)
    manager.configure({ clusters: { ...clusters, blog: { ...hosts(2), 'failover-mode': 'sometimes' } } })
    const faulty = await client.run('--cluster', 'blog', 'setting', 'reload')
    expect(faulty.status).to.not.equal(0)
    expect(faulty.stderr).to.match(/error: \S+:\d+: \[blog\] failover-mode = "sometimes": allowed: /)
    expect(faulty.stderr).to.match(/not valid: 1 error/)
  })
})
