// Pictures of the dashboard for its documents: `npm run docs:pictures` takes each in Chromium from recorded replies, with a fixed clock.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { grants } from '../../lib/access/grants.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { openBrowser, openPage } from '../support/browser/chromium.js'
import { servePage } from '../support/browser/page-server.js'
import { recordedAnswers } from '../support/browser/recorded.js'
import { at, fleet, replies } from './replies.js'

interface Scene {
  readonly name: string
  readonly address: string
  /** A text that is there when the page is. */
  readonly shown: string
  readonly theme?: 'light' | 'dark'
}

const scenes: readonly Scene[] = [
  { name: 'fleet', address: '/', shown: 'orders' },
  { name: 'fleet-dark', address: '/?as=table', shown: 'orders', theme: 'dark' },
  { name: 'findings', address: '/findings', shown: 'WARN0101' },
  { name: 'operations', address: '/operations', shown: 'Rolling restart' },
  { name: 'alerts', address: '/alerts', shown: 'the disk comes on Monday' },
  { name: 'proxies', address: '/proxies', shown: 'routes differ' },
  { name: 'certificates', address: '/certificates', shown: 'CN=CA' },
  { name: 'timeline', address: '/c/orders/timeline', shown: 'Print as report' },
  { name: 'charts', address: '/c/orders/s/db1/charts', shown: 'Queries a second' },
  { name: 'users', address: '/c/orders/users', shown: 'ann@example.com' },
  { name: 'tokens', address: '/tokens', shown: 'nightly report' },
  { name: 'audit', address: '/audit', shown: 'Who did what' },
]

const folder = path.join(packageRoot, 'share/doc/picture')
const QUALITY = 80
const WIDTH = 1_200
const MOST_HEIGHT = 600

/** A lossy picture of a page of text, a fourth of the size of a PNG. */
async function take(page: Page, name: string): Promise<number> {
  const session = await page.context().newCDPSession(page)
  // No empty rest of the window below what is shown.
  const bottom = Number(
    await page.evaluate(
      'Math.max(...[...document.querySelectorAll("main *")].map((one) => one.getBoundingClientRect().bottom))',
    ),
  )
  await page.setViewportSize({ width: WIDTH, height: Math.min(MOST_HEIGHT, Math.ceil(bottom) + 16) })
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  const bytes = Buffer.from(data, 'base64')
  writeFileSync(path.join(folder, `${name}.webp`), bytes)
  return bytes.length
}

mkdirSync(folder, { recursive: true })
const browser = await openBrowser()
const server = await servePage(fleet, { grants, answer: recordedAnswers(() => 'complete', replies) })
try {
  for (const { name, address, shown, theme = 'light' } of scenes) {
    const { page } = await openPage(browser, { width: WIDTH, height: MOST_HEIGHT, theme })
    await page.clock.setFixedTime(at)
    await page.goto(`${server.url}${address}`)
    await page.locator('main').getByText(shown).first().waitFor()
    await page.locator('main .loading').first().waitFor({ state: 'detached' })
    if (name === 'charts') await page.locator('figure.chart canvas').first().waitFor()
    process.stdout.write(`${name}.webp ${await take(page, name)} bytes\n`)
    await page.context().close()
  }
} finally {
  await browser.close()
  await server.close()
}
