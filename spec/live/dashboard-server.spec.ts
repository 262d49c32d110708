// The pages of a server in a browser on real databases: what they do is read from the databases.
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { findBarriers, logIn, openBrowser, openPage, type WatchedPage } from '../support/browser/chromium.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const hostile = '"><img src=x onerror=alert(1)>'

const tabs = [
  ...['', '/charts', '/processlist', '/queries', '/locks'],
  ...['/innodb', '/variables', '/status', '/tables', '/logs'],
]

describe('the pages of a server', () => {
  let cluster: ProtectedCluster
  let browser: Browser
  let watched: WatchedPage
  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      options: ['--performance-schema=ON', '--slow-query-log=ON', '--log-output=TABLE'],
      settings: { 'failover-mode': 'manual' },
    })
    await cluster.nodes[0]?.sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, note TEXT)')
    await cluster.nodes[0]?.sql("INSERT INTO shop.orders VALUES (1, 'one')")
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await end(cluster)
  })
  afterEach(async () => {
    expect(watched.complaints).to.deep.equal([])
    await watched.page.context().close()
  })

  const node = () => cluster.databases.node(0)
  const at = (tab: string): string => `/c/story/s/127.0.0.1:${node().port}${tab}`
  const visit = async (address: string, sight = {}): Promise<Page> => {
    watched = await openPage(browser, sight)
    const { page } = watched
    await page.goto(`http://127.0.0.1:${cluster.manager.httpPort}${address}`)
    await logIn(page)
    return page
  }

  it('end a session that runs a statement, which is gone from the database then', async () => {
    const app = unwrap(await openSession(node().target()))
    const running = app.run(`SELECT SLEEP(500) /* ${hostile} */`, [], 5 * PATIENCE_MS)
    const page = await visit(at('/processlist?q=sleep'))
    const row = page.getByRole('row').filter({ hasText: 'SLEEP(500)' })
    await row.getByRole('button', { name: /^End the session/ }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText(`End the session of thread ${app.threadId}`).first().waitFor()
    await sheet
      .getByRole('button', { name: /End|Confirm/ })
      .last()
      .click()
    const count = () => node().value(`SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ${app.threadId}`)
    await eventually(async () => Number(await count()) === 0, 'the session is gone')
    expect((await running).ok).to.equal(false)
    app.close()
  })

  it('show who waits for whose row lock as a tree', async () => {
    const [holder, waiter] = [unwrap(await openSession(node().target())), unwrap(await openSession(node().target()))]
    await holder.run("BEGIN; UPDATE shop.orders SET note = 'held'", [], PATIENCE_MS)
    // Longer than the page needs to show it; by default it gives up after 50 s.
    await waiter.run('SET SESSION innodb_lock_wait_timeout = 500', [], PATIENCE_MS)
    const waiting = waiter.run("UPDATE shop.orders SET note = 'late'", [], 5 * PATIENCE_MS)
    const page = await visit(at('/locks'))
    const root = page.locator('.wait-root').filter({ hasText: String(holder.threadId) })
    await root.locator('ul').getByText(String(waiter.threadId), { exact: true }).waitFor()
    await root.getByText('row of shop.orders').waitFor()
    await holder.run('ROLLBACK', [], PATIENCE_MS)
    await waiting
    holder.close()
    waiter.close()
  })

  it('draw what the manager measured, and give the same values as a table', async () => {
    const page = await visit(at('/charts'))
    await page.locator('figure').filter({ hasText: 'Queries a second' }).locator('canvas').waitFor()
    const values = page.locator('details').filter({ hasText: 'Values of Queries a second' })
    await values.locator('summary').click()
    await values.getByRole('rowheader', { name: 'all', exact: true }).waitFor()
    await eventually(async () => (await values.getByRole('row').count()) > 4, 'there are several values')
    await page.getByLabel('The latest').selectOption('15m')
    await page.waitForURL(/span=15m/)
  })

  it('can be used by everyone and have no blank panel', async () => {
    const page = await visit(at(''))
    for (const [index, tab] of tabs.entries()) {
      await page.emulateMedia({ colorScheme: index % 2 === 0 ? 'light' : 'dark' })
      await page.goto(`http://127.0.0.1:${cluster.manager.httpPort}${at(tab)}`)
      await page.locator('.panel').first().waitFor()
      await page.locator('.panel .loading').first().waitFor({ state: 'detached' })
      expect(await findBarriers(page), tab).to.deep.equal([])
      for (const panel of await page.locator('.panel-body').all())
        expect(((await panel.textContent()) ?? '').trim(), tab).to.not.equal('')
    }
  })

  it('show what was read last, dated, when the server is dead', async () => {
    const page = await visit(at('/variables?q=max_connections'))
    await page.getByText('max_connections', { exact: true }).waitFor()
    await node().kill()
    await page.getByText('does not answer').first().waitFor()
    await page.getByText('max_connections', { exact: true }).waitFor()
  })
})
