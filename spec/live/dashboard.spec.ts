// The dashboard in a real browser: a fleet of a thousand clusters, what changes in it, and what happens when the manager is gone.
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import type { FleetRow } from '../../lib/model/fleet/row.js'
import { findBarriers, openBrowser, openPage, type WatchedPage } from '../support/browser/chromium.js'
import { type PageServer, servePage } from '../support/browser/page-server.js'
import { fleetRowOf } from '../support/http/fleet-rows.js'
import { eventually } from '../support/wait.js'

const hostile = '"><img src=x onerror=alert(1)>'

const rows: readonly FleetRow[] = [
  fleetRowOf(hostile, { state: 'down', primary: hostile, worst: 'ERR00010', errors: 2, tags: [hostile] }),
  fleetRowOf('orders', { state: 'degraded', lag: 12, worst: 'WARN0101', warnings: 1, op: 'switchover' }),
  ...Array.from({ length: 998 }, (_none, index) => fleetRowOf(`shop-${index}`, { wps: index, tags: ['prod'] })),
]

/** Elements and texts of the document. */
const countNodes =
  '(() => { let count = 0; const walk = document.createTreeWalker(document); while (walk.nextNode()) count++; return count })()'

describe('the dashboard in a browser', () => {
  let browser: Browser
  let server: PageServer
  let watched: WatchedPage

  before(async () => {
    browser = await openBrowser()
    server = await servePage(rows)
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach(() => {
    server.loggedIn = true
  })

  const visit = async (address: string, sight = {}) => {
    watched = await openPage(browser, sight)
    await watched.page.goto(`${server.url}${address}`)
    return watched.page
  }
  afterEach(async () => {
    expect(watched.complaints).to.deep.equal([])
    await watched.page.context().close()
  })

  it('asks for a login, names a wrong password, and opens with the right one', async () => {
    server.loggedIn = false
    const page = await visit('/')
    await page.getByLabel('User').fill('admin')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('User or password is wrong.').waitFor()
    await page.getByLabel('Password').fill('right')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('1,000 clusters').waitFor()
    expect(
      await page.evaluate('JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + location'),
    ).not.to.contain('a token')
  })

  it('draws a thousand clusters, the worst first, with at most 1,500 nodes, as tiles and as a table', async () => {
    const page = await visit('/')
    await page.locator('.tile').nth(20).waitFor()
    expect(await page.locator('.tile-name').nth(0).textContent()).to.equal(hostile)
    expect(await page.locator('.tile-name').nth(1).textContent()).to.equal('orders')
    expect(await page.evaluate(countNodes)).to.be.at.most(1_500)
    await page.keyboard.press('t')
    await page.locator('.fleet-line').nth(20).waitFor()
    expect(await page.evaluate(countNodes)).to.be.at.most(1_500)
    expect(page.url()).to.contain('as=table')
  })

  it('changes one text for a delta and leaves the other tiles as they are', async () => {
    const page = await visit('/?q=shop')
    await page.getByText('998 of 1,000').waitFor()
    await page.evaluate(
      'window.changed = []; new MutationObserver((all) => changed.push(...all.map(({ target }) => target.parentElement?.closest(".tile")?.href ?? ""))).observe(document.querySelector(".tiles"), { subtree: true, characterData: true, childList: true })',
    )
    server.send([{ c: 'shop-0', k: { wps: 4_321 } }])
    await page.getByText('4.32k/s').waitFor()
    const changed = (await page.evaluate('[...new Set(window.changed)]')) as string[]
    expect(changed.map((href) => new URL(href).pathname)).to.deep.equal(['/c/shop-0'])
  })

  it('filters by the search, by a counter, and says what is wrong with a filter', async () => {
    const page = await visit('/')
    await page.getByText('1,000 clusters').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('lag>5')
    await page.getByText('1 of 1,000').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'down' }).click()
    await page.getByText('No cluster fits this filter.').waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.getByLabel('Search clusters').fill('color:red')
    await page.getByText('The filter is not applied: color:red: unknown: color').waitFor()
  })

  it('goes to a cluster by g c and its name', async () => {
    const page = await visit('/')
    await page.getByText('1,000 clusters').waitFor()
    const name = page.getByRole('dialog', { name: 'Go to a cluster' }).getByRole('combobox')
    // On a busy machine the second key may come too late to belong to the first, and the dialog after both were pressed again.
    await eventually(async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('c')
      return name.isVisible()
    }, 'a cluster can be named')
    await name.fill('shop-77')
    await name.press('Enter')
    await page.waitForURL('**/c/shop-77')
  })

  it('greys and dates what it shows when the manager is gone, and resumes after the last event', async () => {
    const page = await visit('/')
    await page.getByText('1,000 clusters').waitFor()
    server.send([{ c: 'orders', k: { lag: 99 } }])
    await page.getByText('lag 99 s').waitFor()
    const { opened } = server.streams
    server.cut()
    await page
      .getByRole('alert')
      .filter({ hasText: /since .*, showing \d\d:\d\d:\d\d/ })
      .waitFor()
    await page.locator('.fleet-clusters.stale').waitFor()
    server.resume()
    await page.locator('.fleet-clusters:not(.stale)').waitFor()
    expect(server.streams.opened).to.equal(opened + 1)
    expect(server.streams.resumedAfter).to.match(/^\d+$/)
  })

  it('has every note once, in order, after the stream was cut while things happened', async () => {
    const page = await visit('/')
    await page.getByText('1,000 clusters').waitFor()
    const note = (text: string) => server.note({ c: 'orders', at: 1_795_440_000_000, kind: 'operation-began', text })
    for (const text of ['one', 'two', 'three']) note(text)
    await page.getByText('began: three').waitFor()
    server.cut()
    await page.getByRole('alert').waitFor()
    for (const text of ['four', 'five']) note(text)
    server.resume()
    await page.getByText('began: five').waitFor()
    note('six')
    await page.getByText('began: six').waitFor()
    expect((await page.locator('.happened li p').allTextContents()).map((text) => text.trim())).to.deep.equal(
      ['six', 'five', 'four', 'three', 'two', 'one'].map((text) => `began: ${text}`),
    )
  })

  it('asks for a login where it was when the session has ended, and goes on after it', async () => {
    const page = await visit('/?q=shop-7')
    await page.getByText('111 of 1,000').waitFor()
    server.loggedIn = false
    server.cut()
    server.resume()
    await page.getByText('Your session has ended.').waitFor()
    await page.getByLabel('User').fill('admin')
    await page.getByLabel('Password').fill('right')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('111 of 1,000').waitFor()
  })

  it('reads one stream for all tabs; when the tab that reads is closed, the next goes on after the last event', async () => {
    const first = await visit('/')
    await first.getByText('1,000 clusters').waitFor()
    const { opened } = server.streams
    const others = await Promise.all([1, 2].map(() => first.context().newPage()))
    for (const page of others) {
      await page.goto(`${server.url}/?q=shop-0`)
      await page.getByText('1 of 1,000').waitFor()
    }
    server.send([{ c: 'shop-0', k: { wps: 77 } }])
    for (const page of others) await page.getByText('77/s').waitFor()
    expect(server.streams.opened).to.equal(opened)
    await first.close()
    await eventually(async () => server.streams.opened === opened + 1, 'another tab reads')
    expect(server.streams.resumedAfter).to.match(/^\d+$/)
    server.send([{ c: 'shop-0', k: { wps: 88 } }])
    for (const page of others) await page.getByText('88/s').waitFor()
  })

  for (const theme of ['light', 'dark'] as const)
    it(`has no barrier that is serious or critical in the ${theme} theme`, async () => {
      const page = await visit('/', { theme })
      await page.locator('.tile').nth(1).waitFor()
      const found = [...(await findBarriers(page))]
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys and search' }).waitFor()
      found.push(...(await findBarriers(page)))
      await page.keyboard.press('Escape')
      await page.keyboard.press('t')
      await page.locator('.fleet-line').nth(1).waitFor()
      found.push(...(await findBarriers(page)))
      expect(found).to.deep.equal([])
    })

  it('is usable at a width of 360 pixels: nothing is wider than the window', async () => {
    const page = await visit('/', { width: 360, height: 740 })
    await page.locator('.tile').nth(1).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(360)
    expect(await page.evaluate("document.querySelector('main').scrollWidth")).to.be.at.most(360)
  })

  for (const address of ['/nowhere', '/c/unknown', '/c/%'])
    it(`says why ${address} shows nothing`, async () => {
      const page = await visit(address)
      await page.getByRole('link', { name: 'All clusters' }).waitFor()
      expect(await findBarriers(page)).to.deep.equal([])
    })
})
