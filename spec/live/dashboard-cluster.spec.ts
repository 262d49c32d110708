// The page of a cluster in a browser on real databases: the role moves by keyboard and by a drop, also past a manager that is killed, and what
// the page shows is what the databases do.
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import {
  describePage,
  findBarriers,
  logIn,
  openBrowser,
  openPage,
  type WatchedPage,
} from '../support/browser/chromium.js'
import type { Node } from '../support/databases/node.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, onlyWriter } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

describe('the page of a cluster', () => {
  let cluster: ProtectedCluster
  let browser: Browser
  let watched: WatchedPage
  let page: Page
  before(async () => {
    cluster = await startProtectedCluster({ count: 3 })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await end(cluster)
  })
  beforeEach(async () => {
    watched = await openPage(browser, {})
    page = watched.page
    await page.goto(`http://127.0.0.1:${cluster.manager.httpPort}/c/story`)
    await logIn(page)
    await boxOf(cluster.databases.node(0)).waitFor()
  })
  afterEach(async function () {
    if (this.currentTest?.state === 'failed')
      process.stdout.write(`${await describePage(page)}\n${cluster.manager.log().slice(-4_000)}\n`)
    expect(watched.complaints).to.deep.equal([])
    await page.context().close()
  })

  const boxOf = (node: Node) => page.locator(`[data-server="127.0.0.1:${node.port}"]`)

  const isWritable = async (node: Node) => Number(await node.value('SELECT @@global.read_only')) === 0

  /** Opens the plan of giving the role to a server, without the mouse. */
  async function planByKeys(node: Node): Promise<void> {
    await boxOf(node).focus()
    await page.keyboard.press('.')
    // What was read last may still refuse it: it is chosen as soon as it may be.
    const wanted = page
      .locator('.menu-item:not([aria-disabled="true"])')
      .filter({ hasText: `Make 127.0.0.1:${node.port} the primary` })
    await wanted.waitFor()
    for (let pressed = 0; pressed < 20; pressed += 1) {
      if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) break
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await planIsPossible()
  }

  /** The plan is there, and the manager would run it: one that it refuses for the moment is asked for again. */
  async function planIsPossible(): Promise<void> {
    await eventually(async () => {
      await page.locator('.plan[data-state="planned"]').waitFor()
      const again = page.getByRole('button', { name: 'Plan again' })
      if ((await again.count()) === 0) return true
      await again.press('Enter')
      return false
    }, 'the manager would do it')
  }

  it('moves the primary role by keyboard alone, through the plan', async () => {
    const [old, next] = [cluster.databases.node(0), cluster.databases.node(1)]
    await planByKeys(next)
    await page.getByText('blocks writes').first().waitFor()
    expect(await isWritable(next)).to.equal(false)
    await page.keyboard.press('Enter')
    await page.locator('.plan[data-state="ended"]').getByText('Succeeded').waitFor()
    expect(await isWritable(next)).to.equal(true)
    expect(await isWritable(old)).to.equal(false)
    await page.keyboard.press('Escape')
    await page.getByRole('treeitem', { name: new RegExp(`127.0.0.1:${next.port}.*primary`, 'i') }).waitFor()
  })

  it('moves the primary role by dropping a server on the zone that names it', async () => {
    const [old, next] = [cluster.databases.node(1), cluster.databases.node(0)]
    await eventually(async () => (await cluster.explain()).ranking.some((row) => row.eligible), 'a replica is eligible')
    const zone = page.locator('.zone[data-zone="primary"]:not(.zone-no)')
    // What was read last may still refuse it: a drop there does nothing, and it is grabbed again, where it is drawn by then.
    await eventually(async () => {
      const box = await boxOf(next).boundingBox()
      if (!box) return false
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width / 2 + 20, box.y + box.height / 2 + 20, { steps: 4 })
      if ((await zone.count()) > 0) return true
      await page.keyboard.press('Escape')
      // Released on the server, it would be a click some time after the drag, which opens its page.
      await page.mouse.move(1, 1)
      await page.mouse.up()
      return false
    }, 'the zone permits it')
    expect(await zone.textContent()).to.equal(`Make 127.0.0.1:${next.port} the primary`)
    const target = await zone.boundingBox()
    if (!target) throw new Error('the zone is not drawn')
    await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 4 })
    await page.mouse.up()
    await planIsPossible()
    expect(await isWritable(next)).to.equal(false)
    await page.getByRole('button', { name: 'Switch over' }).last().click()
    await page.locator('.plan[data-state="ended"]').getByText('Succeeded').waitFor()
    expect(await isWritable(next)).to.equal(true)
    expect(await isWritable(old)).to.equal(false)
  })

  it('shows how a switchover ended whose manager was killed in the middle of it', async () => {
    const [old, next] = [cluster.databases.node(0), cluster.databases.node(1)]
    await cluster.ready()
    await page.evaluate('window.isSamePage = true')
    await planByKeys(next)
    // It waits for its candidate: how fast the kill comes does not matter.
    await next.sql('LOCK TABLES spec.acknowledged READ')
    await old.sql('INSERT INTO spec.acknowledged VALUES (1, 1)')
    await page.keyboard.press('Enter')
    await eventually(async () => {
      if (!(await isWritable(old))) return true
      // A probe may have seen by then that the candidate is behind: that is another plan, which is confirmed as well.
      const isAnother = (await page.locator('.plan[data-state="planned"] .plan-changed').count()) > 0
      const confirm = page.getByRole('button', { name: 'Switch over' }).last()
      if (isAnother) await confirm.click({ timeout: 1_000 }).catch(() => undefined)
      return false
    }, 'the old primary is closed')
    await cluster.manager.end('SIGKILL')
    await page.locator('.plan:is([data-state="sent"], [data-state="running"], [data-state="unknown"])').waitFor()
    await next.sql('UNLOCK TABLES')
    cluster.manager.start()
    await cluster.manager.alive()
    expect(await onlyWriter(cluster)).to.equal(old)
    await page.locator('.plan .plan-verdict').filter({ hasText: 'Undone' }).waitFor()
    expect(await page.evaluate('window.isSamePage')).to.equal(true)
  })

  it('refuses a plan that is no longer what would be done, and shows what changed', async () => {
    await cluster.ready()
    const primary = await cluster.primary()
    const [next, other] = cluster.nodes.filter((node) => node !== primary)
    if (!next || !other) throw new Error('no replicas')
    await planByKeys(next)
    await other.kill()
    await page.locator('.box-down').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('the situation has changed since this plan was shown').waitFor()
    expect(await isWritable(primary)).to.equal(true)
    expect(await isWritable(next)).to.equal(false)
    other.start()
    await other.waitUp()
  })

  it('shows a failover while it is open, without being loaded again', async () => {
    await cluster.ready()
    const primary = await cluster.primary()
    await page.evaluate('window.isSamePage = true')
    await primary.kill()
    const next = await cluster.movedFrom(primary)
    await page.getByRole('treeitem', { name: new RegExp(`127.0.0.1:${next.port}.*primary`, 'i') }).waitFor()
    await page.locator(`[data-server="127.0.0.1:${primary.port}"].box-down`).waitFor()
    expect(await page.evaluate('window.isSamePage')).to.equal(true)
  })

  it('shows the login when its session has ended elsewhere, and goes on where it was', async () => {
    const path = new URL(page.url()).pathname
    await page.context().clearCookies()
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    await page.getByText('Your session has ended.').waitFor()
    await logIn(page)
    await page.locator('.topology').waitFor()
    expect(new URL(page.url()).pathname).to.equal(path)
  })

  it('has no barriers in either theme', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findBarriers(page), colorScheme).to.deep.equal([])
    }
  })
})
