// Pages that act on the whole fleet, in a browser on real clusters: what they did is read from the databases, the proxy and the receivers.
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { describePage, logIn, openBrowser, openPage, type WatchedPage } from '../support/browser/chromium.js'
import { type Databases, replicate, startDatabases } from '../support/databases/database.js'
import { accounts, type Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { MailSink } from '../support/machine/mail-sink.js'
import { freePorts } from '../support/machine/ports.js'
import { WebSink } from '../support/machine/web-sink.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { connectThrough, writesReach } from '../support/proxies/routes.js'
import { eventually } from '../support/wait.js'

const clusters = ['orders', 'shop'] as const

describe('pages of the whole fleet', () => {
  const [mail, web] = [new MailSink(), new WebSink()]
  let databases: Databases
  let manager: ManagerProcess
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  const proxy = { api: 0, writePort: 0, readPort: 0, stat: 0 }

  before(async () => {
    databases = await startDatabases({ count: 4 })
    for (const [primary, replica] of pairs()) {
      await prepareWrites(primary)
      await replicate(primary, [replica])
    }
    await Promise.all([mail.open(), web.open()])
    const [api = 0, write = 0, read = 0, stat = 0] = await freePorts(4)
    Object.assign(proxy, { api, writePort: write, readPort: read, stat })
    const { monitor, replication } = accounts
    const common = (nodes: readonly Node[]) => ({
      'db-servers-hosts': nodes.map(({ host, port }) => `${host}:${port}`).join(','),
      'db-servers-credential': `${monitor.user}:${monitor.password}`,
      'replication-credential': `${replication.user}:${replication.password}`,
      'force-slave-heartbeat-time': 1,
      'failover-mode': 'manual',
      'prov-db-tags': 'row,innodb,readonly,linux',
    })
    const [orders, shop] = pairs()
    manager = await ManagerProcess.create({
      clusters: {
        orders: {
          ...common(orders),
          ...{ 'mail-to': 'ops@example.com', 'mail-from': 'manager@example.com' },
          ...{ 'mail-smtp-addr': `127.0.0.1:${mail.port}`, 'mail-smtp-tls-skip-verify': true },
          'alert-webhook-url': web.url('/hook'),
          ...{ 'prov-orchestrator': 'local', haproxy: true, 'haproxy-servers': `127.0.0.1:${api}` },
          ...{ 'haproxy-write-port': write, 'haproxy-read-port': read, 'haproxy-stat-port': stat },
          ...{ 'haproxy-ip-write-bind': '127.0.0.1', 'haproxy-ip-read-bind': '127.0.0.1' },
        },
        shop: common(shop),
      },
    })
    manager.start()
    await manager.alive()
    browser = await openBrowser()
    watched = await openPage(browser)
    page = watched.page
    await page.goto(`http://127.0.0.1:${manager.httpPort}/`)
    await logIn(page)
    await page.locator('.tile').nth(1).waitFor()
  })
  after(async () => {
    await browser?.close()
    await manager?.post(`/api/clusters/orders/proxies/${proxyName()}/actions/unprovision`).catch(() => undefined)
    await manager?.destroy()
    await databases?.teardown()
    await Promise.all([mail.close(), web.close()])
  })
  afterEach(async function () {
    if (this.currentTest?.state === 'failed')
      process.stdout.write(`${await describePage(page)}\n${manager.log().slice(-4_000)}\n`)
    expect(watched.complaints).to.deep.equal([])
  })

  /** Primary and replica of each cluster. */
  const pairs = (): readonly [readonly [Node, Node], readonly [Node, Node]] => [
    [databases.node(0), databases.node(1)],
    [databases.node(2), databases.node(3)],
  ]
  const proxyName = () => encodeURIComponent(`127.0.0.1:${proxy.api}`)
  const go = (address: string) => page.goto(`http://127.0.0.1:${manager.httpPort}${address}`)

  it('sends a test of alerts to each receiver, which has it', async () => {
    await go('/alerts')
    const sendTest = async (button: RegExp, end: string) => {
      await page.getByRole('table').getByRole('button', { name: button }).click()
      await page.locator('.plan[data-state="planned"]').waitFor()
      await page
        .locator('.dialog-actions')
        .getByRole('button', { name: /^Send a test/ })
        .click()
      await page.locator(`.plan[data-state="${end}"]`).waitFor()
    }
    await sendTest(/^Send a test to ops@example.com/, 'ended')
    // What is wrong with a cluster that is new is sent as well.
    const tests = mail.mails.filter(({ subject }) => subject.startsWith('[TEST]'))
    expect(tests.map(({ subject, to }) => [subject, ...to])).to.deep.equal([
      ['[TEST] orders: test of alerts', 'ops@example.com'],
    ])
    await go('/alerts')
    await sendTest(/by webhook$/, 'ended')
    expect(web.requests.filter(({ body }) => body.includes('test of alerts')).map(({ path }) => path)).to.deep.equal([
      '/hook',
    ])
    web.status = 500
    await go('/alerts')
    await sendTest(/by webhook$/, 'refused')
    await page.locator('.plan').getByText(/500/).waitFor()
  })

  it('starts replication on both clusters from the finding that both have', async () => {
    web.status = 200
    const replicas = pairs().map(([, replica]) => replica)
    const isReceiving = async (replica: Node) => (await replica.sql('SHOW SLAVE STATUS'))[0]?.Slave_IO_Running === 'Yes'
    for (const [index, replica] of replicas.entries()) {
      const { status, body } = await manager.post(
        `/api/clusters/${clusters[index]}/servers/127.0.0.1:${replica.port}/actions/stop-slave`,
      )
      expect(status, body).to.equal(200)
    }
    await go('/findings?code=ERR00042')
    await page.getByRole('link', { name: /Remedy/ }).waitFor()
    await go('/findings/ERR00042/remedy')
    await page.getByText('2 of 2 chosen').waitFor()
    await page.getByRole('button', { name: 'Plan 2' }).click()
    const apply = page.getByRole('button', { name: 'Apply 2, one after another' })
    await apply.waitFor()
    expect(await Promise.all(replicas.map(isReceiving))).to.deep.equal([false, false])
    await apply.click()
    for (const cluster of clusters)
      await page.getByRole('row').filter({ hasText: cluster }).getByText('done', { exact: true }).waitFor()
    await eventually(async () => (await Promise.all(replicas.map(isReceiving))).every(Boolean), 'both replicate again')
  })

  it('creates, stops and starts a proxy: clients get through it to the primary, or not', async () => {
    const [[primary]] = pairs()
    const act = async (name: string) => {
      await go('/c/orders/proxies')
      await page.getByRole('button', { name: new RegExp(`^${name} 127`) }).click()
      await page.locator('.plan[data-state="planned"]').waitFor()
      await page
        .locator('.dialog-actions')
        .getByRole('button', { name: new RegExp(`^${name}`) })
        .click()
      await page.locator('.plan[data-state="ended"]').waitFor()
    }
    expect(await connectThrough(primary, proxy.writePort)).to.equal(undefined)
    await act('Create')
    await writesReach(proxy, primary)
    await act('Stop')
    expect(await connectThrough(primary, proxy.writePort)).to.equal(undefined)
    await act('Start')
    await writesReach(proxy, primary)
    await go('/proxies')
    const row = page.getByRole('row').filter({ hasText: `127.0.0.1:${proxy.api}` })
    await row.filter({ hasText: `127.0.0.1:${primary.port}` }).waitFor()
  })
})
