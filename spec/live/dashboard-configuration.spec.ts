// The configuration in a browser: a setting that is in force, a tag that is previewed as a diff and then in the archive.
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { findBarriers, logIn, openBrowser, openPage, type WatchedPage } from '../support/browser/chromium.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

interface Setting {
  readonly name: string
  readonly value: unknown
}

describe('the configuration in a browser', () => {
  let cluster: ProtectedCluster
  let browser: Browser
  let watched: WatchedPage
  before(async () => {
    cluster = await startProtectedCluster({ count: 2, settings: { 'failover-mode': 'manual' } })
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

  const visit = async (address: string, sight = {}): Promise<Page> => {
    watched = await openPage(browser, sight)
    const { page } = watched
    await page.goto(`http://127.0.0.1:${cluster.manager.httpPort}${address}`)
    await logIn(page)
    return page
  }
  /** Confirms the plan that the sheet shows, as soon as it names this change, and closes the sheet when it is done. */
  const confirm = async (page: Page, title: string, change: string | RegExp) => {
    const sheet = page.getByRole('dialog', { name: title })
    await sheet.getByText(change).first().waitFor()
    await sheet.getByRole('button', { name: title, exact: true }).click()
    await sheet.locator('.plan[data-state="ended"]').waitFor()
    await sheet.getByRole('button', { name: 'Close', exact: true }).last().click()
  }
  const settingOf = async (name: string) => {
    const all = await cluster.manager.get<readonly Setting[]>(`/api/clusters/story/settings?detail=true&name=${name}`)
    return all.find((setting) => setting.name === name)?.value
  }

  it('sets a setting, and takes the change back from the history', async () => {
    const before = await settingOf('failover-limit')
    const page = await visit('/c/story/configuration/settings?setting=failover-limit')
    await page.getByLabel('Value').fill('3')
    await page.getByRole('button', { name: 'Set…', exact: true }).click()
    await page.getByRole('dialog', { name: 'Set failover-limit' }).getByText(`${before} → 3`).waitFor()
    expect(await settingOf('failover-limit')).to.equal(before)
    await confirm(page, 'Set failover-limit', `${before} → 3`)
    expect(await settingOf('failover-limit')).to.equal(3)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Undo the change of failover-limit' }).click()
    await confirm(page, 'Undo the change of failover-limit', `3 → ${before}`)
    expect(await settingOf('failover-limit')).to.equal(before)
  })

  it('previews a tag as a diff, applies it, and the archive of the servers has it', async () => {
    const page = await visit('/c/story/configuration/tags', { theme: 'dark' })
    await page.getByRole('checkbox', { name: /^nodurable\b/ }).check()
    const effect = page.getByRole('region', { name: 'Effect' })
    await effect.getByText('innodb_flush_log_at_trx_commit = 0').first().waitFor()
    expect(await settingOf('prov-db-tags')).to.not.contain('nodurable')
    await effect.getByRole('button', { name: 'Apply…' }).click()
    await confirm(page, 'Add the tag nodurable', /nodurable/)
    expect(await settingOf('prov-db-tags')).to.contain('nodurable')
    await eventually(async () => {
      const { tags } = await cluster.manager.get<{ tags: { name: string; chosen: boolean }[] }>(
        '/api/clusters/story/configuration',
      )
      return tags.some(({ name, chosen }) => name === 'nodurable' && chosen)
    }, 'the tag is in force')
  })

  for (const address of ['/c/story/configuration', '/c/story/configuration/drift', '/settings'])
    it(`can be used by everyone: ${address}`, async () => {
      const page = await visit(address, { width: 360, theme: address === '/settings' ? 'dark' : 'light' })
      await page.locator('.panel').first().waitFor()
      await page.locator('.panel .loading').first().waitFor({ state: 'detached' })
      expect(await findBarriers(page)).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360)
    })
})
