// Chromium of the system without a window, with what a spec asks of a page: what it complained about, and whether all can use it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { PATIENCE_MS } from '../wait.js'

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    timeout: PATIENCE_MS,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
    ],
  })

export interface WatchedPage {
  readonly page: Page
  /** Exceptions, refused scripts, styles and texts: what breaks the policy of the page stands here. */
  readonly complaints: string[]
}

export interface Sight {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
}

/** A page in a profile of its own. It waits for what must come as long as every other story does. */
export async function openPage(
  browser: Browser,
  { width = 1_440, height = 900, theme = 'light' }: Sight = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted|violates/i.test(message.text())) complaints.push(message.text())
  })
  return { page, complaints }
}

/** Until the form is gone: who goes to another page before that takes the login back. */
export async function logIn(page: Page): Promise<void> {
  await page.getByLabel('User').fill('admin')
  await page.getByLabel('Password').fill('spec-password')
  const button = page.getByRole('button', { name: 'Log in' })
  await button.click()
  await button.waitFor({ state: 'detached' })
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** For the report of a failed story: the text that the page shows, and what has the focus. */
export const describePage = (page: Page): Promise<string> =>
  page.evaluate(
    "document.body.innerText + '\\n\\nfocus: ' + (document.activeElement?.outerHTML ?? '').slice(0, 300)",
  ) as Promise<string>

/** What axe calls serious or critical, each with the first element. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // By the debugger, which the policy of the page does not concern.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: axe })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `(async () => {
      // A color on its way to another one is judged by neither.
      const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
      await Promise.allSettled(ending.map(({ finished }) => finished))
      return JSON.stringify((await axe.run(document, { resultTypes: ['violations'] })).violations)
    })()`,
    awaitPromise: true,
  })
  const violations: readonly Violation[] = JSON.parse(String(result.value))
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
