// Every page of the dashboard in a browser, with the example replies of the interface: names that are markup, a user that may only read, a manager that answers 503.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { routes } from '../../http/api/index.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { openBrowser, openPage, type WatchedPage } from '../support/browser/chromium.js'
import { type PageServer, servePage } from '../support/browser/page-server.js'
import { fleetRowOf } from '../support/http/fleet-rows.js'
import { eventually } from '../support/wait.js'

const hostile = '"><img src=x onerror=hit=1><script>hit=1</script>'
const cluster = `shop${hostile}`

/** Paths of the table of pages, with values in place of their parameters. */
function addresses(): readonly string[] {
  const source = (name: string) => readFileSync(path.join(packageRoot, 'http/dashboard/src/pages', name), 'utf8')
  const paths = [...source('pages.ts').matchAll(/path: '([^']+)'/g)].map(([, each = '']) => each)
  const ofServer = [...source('server-pages.ts').matchAll(/^ {2}\['([^']*)'/gm)].map(
    ([, word = '']) => `/c/:cluster/s/:server${word}`,
  )
  const values: Readonly<Record<string, string>> = { cluster, server: `db1${hostile}`, tab: 'drift' }
  return [...paths, ...ofServer].map((each) =>
    each.replace(/:(\w+)/g, (_all, key: string) => encodeURIComponent(values[key] ?? '')),
  )
}

const reads = routes.flatMap(({ methods, paths, example }) =>
  methods.includes('GET') && example?.reply !== undefined
    ? paths.map((each) => ({ pattern: new RegExp(`^${each.replace(/:\w+/g, '[^/]+')}$`), reply: example.reply }))
    : [],
)

/** Moments, numbers and words of the wire stay; every other text is markup besides. */
function spoil(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return value === '' || /^[\d.:TZ+-]+$/.test(value) || kept.test(key) ? value : `${value}${hostile}`
  if (Array.isArray(value)) return value.map((each) => spoil(each, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoil(each, name)]))
}

/** What the interface itself writes, from a list of words. */
const kept = /^(state|kind|phase|level|role|type|confirm|severity|mode|scope|apply|evidence|table_sync|verdict)$/i

describe('every page of the dashboard', () => {
  let browser: Browser
  let server: PageServer
  let watched: WatchedPage
  let page: Page
  let isAway = false

  before(async () => {
    browser = await openBrowser()
    const grants = [...new Set(routes.flatMap(({ grant }) => (grant === 'none' || grant === 'token' ? [] : grant)))]
    server = await servePage([fleetRowOf(cluster, { primary: `db1${hostile}`, tags: [hostile], worst: 'ERR00010' })], {
      grants: grants.map(String),
      answer: (pathname) => {
        if (isAway) return { status: 503, body: { code: 'actor-gone', detail: 'The cluster is being restarted.' } }
        const found = reads.find(({ pattern }) => pattern.test(pathname))
        return found && { body: spoil(found.reply) }
      },
    })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach(async () => {
    watched = await openPage(browser)
    page = watched.page
    page.on('dialog', () => watched.complaints.push('a dialog of a script'))
  })
  afterEach(async () => {
    expect(watched.complaints).to.deep.equal([])
    await page.context().close()
  })

  /** Within the loaded program: a page that was visited leaves nothing behind that the next one meets. */
  async function go(address: string): Promise<void> {
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await eventually(async () => (await page.evaluate(SETTLED)) === true, `${address} is there`)
  }

  it('renders names that are markup as text, and has nothing that acts for a user that may only read', async () => {
    server.readOnly = true
    await page.goto(server.url)
    await page.locator('.tile').waitFor()
    const shown: string[] = []
    for (const address of addresses()) {
      await go(address)
      const text = (await page.evaluate('document.body.innerText')) as string
      if (text.includes('<img src=x')) shown.push(address)
      expect(text, address).not.to.include('could not be shown')
      expect(await page.locator('img, main script').count(), address).to.equal(0)
      expect(await page.locator('.button-interrupting, .button-destroying').count(), address).to.equal(0)
      expect(await page.evaluate(PRESS), address).to.be.at.least(0)
      expect(await page.evaluate('document.querySelectorAll("img").length'), address).to.equal(0)
      expect(server.acted, address).to.deep.equal([])
    }
    expect(await page.evaluate('globalThis.hit')).to.equal(undefined)
    expect(shown.length).to.be.above(addresses().length / 2)
  })

  it('says what it could not read while the manager answers 503, and is never blank', async () => {
    server.readOnly = false
    await page.goto(server.url)
    await page.locator('.tile').waitFor()
    isAway = true
    for (const address of addresses()) {
      await go(address)
      const text = (await page.evaluate('document.querySelector("main").innerText')) as string
      expect(text, address).not.to.include('could not be shown')
      expect(text.trim().length, address).to.be.above(20)
    }
    expect(server.acted).to.deep.equal([])
  })
})

/** The module was loaded and nothing is read for the first time any more. */
const SETTLED =
  'document.querySelector("main .loading") === null && document.querySelector("main").innerText.length > 20'

/** Presses every button of the page that can be pressed, and closes what it opened; how many there were. */
const PRESS = `(async () => {
  let count = 0
  for (const button of [...document.querySelectorAll('main button:not([aria-disabled="true"]):not(:disabled)')]) {
    if (!button.isConnected) continue
    button.click()
    count++
    await new Promise((resolve) => setTimeout(resolve))
    for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close()
  }
  return count
})()`
