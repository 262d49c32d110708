// Pages of the whole service, of upkeep, of access and the charts in a browser, with recorded replies: complete, with every optional field absent,
// for readers, by keyboard alone.
import { mkdirSync } from 'node:fs'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { noHistory } from '../../http/api/views/kit/me.js'
import { grants } from '../../lib/access/grants.js'
import { findBarriers, openBrowser, openPage, type Sight } from '../support/browser/chromium.js'
import { type PageServer, servePage } from '../support/browser/page-server.js'
import { recordedAnswers } from '../support/browser/recorded.js'
import { fleetRowOf } from '../support/http/fleet-rows.js'
import { eventually } from '../support/wait.js'

const hostile = '"><img src=x onerror=alert(1)>'
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString()
const HOUR = 3_600_000
const DAY = 24 * HOUR

const rollEntry = {
  ...{ cluster: 'shop', id: 'e1', at: Date.now() - HOUR, until: null, kind: 'operation', server: null, level: 'INFO' },
  ...{ code: 'rolling-restart', text: 'Rolling restart: db2 is up again and catches up', user: 'ann' },
  data: { id: 'rolling-restart-1', kind: 'restart', phase: 'running', done: 1, total: 3 },
}
const failedEntry = {
  ...{
    cluster: hostile,
    id: 'e2',
    at: Date.now() - HOUR,
    until: Date.now() - HOUR / 2,
    kind: 'operation',
    server: null,
  },
  ...{ level: 'ERROR', code: 'switchover', text: 'Switchover was undone: db2 is late', user: 'ann' },
  data: { id: 'switchover-1', phase: 'rolled-back', result: 'undone' },
}
const jobEntry = {
  ...rollEntry,
  ...{
    cluster: 'demo',
    id: 'e3',
    kind: 'backup',
    code: 'backup-logical',
    text: 'Job 7: backup-logical of db2, queued',
  },
  data: { job: 7, task: 'backup-logical', phase: 'queued' },
}
const receiver = {
  ...{ channel: 'mail', receiver: 'ops@example.com by mx:25', clusters: ['', 'demo', 'shop'], onlyEscalations: false },
  ...{ waiting: 0, sentAt: soon(-HOUR) },
}
const broken = {
  ...{ ...receiver, channel: 'webhook', receiver: 'hooks.example.com', clusters: [hostile], waiting: 3 },
  ...{ failedAt: soon(-60_000), problem: 'it answered 500', retryAt: soon(60_000) },
}
const silence = {
  ...{ id: 'a1', cluster: '', codes: ['WARN01'], servers: [], owner: 'ann', reason: hostile, createdAt: soon(-HOUR) },
  ...{ startsAt: soon(-HOUR), endsAt: soon(HOUR), state: 'running' },
}
const acknowledged = {
  ...{ cluster: 'demo', code: 'WARN0101', severity: 'warning', text: 'No backup.', hint: '', since: soon(-DAY) },
  acknowledged: { owner: 'ann', reason: 'the disk comes on Monday', at: soon(-HOUR) },
}
const found = (cluster: string, number: string, desc: string) => ({
  cluster,
  number,
  desc,
  from: 'CHECK',
  hint: 'Do it.',
})
const certificate = (days: number) => ({
  ...{
    subject: 'CN=client shop',
    issuer: 'CN=CA shop',
    fingerprint: 'AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89',
  },
  ...{ notBefore: soon(-300 * DAY), notAfter: soon(days * DAY) },
})
const set = (cluster: string, days: number) => ({
  ...{ cluster, rotating: days < 30, client: certificate(days), server: certificate(900), ca: certificate(3_000) },
})
const proxy = {
  ...{ id: 'px1', name: 'proxy1', type: 'haproxy', version: '2.6.12', host: 'lb1', port: '1999', state: 'ProxyDesync' },
  ...{ lastError: 'service_write/leader is maint instead of ready', writePort: 3306, readPort: 3307, queryRules: [] },
  backendsWrite: [{ host: 'db1', port: '3306', status: 'MAINT', prxConnections: '0', weight: 100 }],
  backendsRead: [{ host: 'db2', port: '3306', status: 'UP', prxConnections: '34', weight: 100 }],
  wantedWrite: [{ host: 'db1', port: '3306', state: 'ready' }],
  wantedRead: [
    { host: 'db1', port: '3306', state: 'drain' },
    { host: 'db2', port: '3306', state: 'ready' },
  ],
}

/** Two hours in which the primary role moved twice. */
const seriesEnd = Math.floor(Date.now() / 10_000) * 10_000
const series = {
  ...{ from: seriesEnd - HOUR, to: seriesEnd, step: 10 },
  series: ['mysql_global_status_questions', 'mysql_global_status_threads_connected'].map((name) => ({
    ...{ name, unit: 'count', server: 'db1', instance: 'db1.example.com' },
    values: Array.from({ length: 360 }, (_none, index) => 100 + 40 * Math.sin(index / 20)),
  })),
}
const moved = (code: string, ago: number, text: string) => ({
  ...{ id: `m${ago}`, at: seriesEnd - ago, until: seriesEnd - ago + 800, kind: 'operation', server: null },
  ...{ level: 'ALERTOK', code, text, user: 'manager', data: { phase: 'succeeded' } },
})
const moves = [
  moved('switchover', HOUR / 4, 'Switchover to db1 succeeded after 61 ms'),
  moved('rolling-restart', HOUR / 3, 'Rolling restart succeeded'),
  moved('failover', HOUR / 2, 'Failover to db2 succeeded after 757 ms'),
  moved('failover', 2 * HOUR, 'Failover of long ago'),
]

/** One that runs, and two that have ended. */
const benchmark = (id: number, more: object) => ({
  ...{ id, task: 'benchmark', port: 3306, server: 'db1:3306', origin: 'manager', user: 'ann', done: 1, state: 4 },
  ...{ phase: 'done', lines: 3, start: 1_795_246_812 + id * 1_000, end: 1_795_246_912 + id * 1_000, ...more },
})
const measured = (tps: number) =>
  `${tps} transactions/s, 17404 statements/s, 95 % within 5.0 ms, 0 errors, 0 reconnects: oltp_read_write, 8 threads, 100 s, 1 tables of 10000 rows`
const jobs = [
  benchmark(4, { phase: 'running', done: 0, state: 1, end: undefined }),
  ...[benchmark(3, { result: measured(912.5) }), benchmark(2, { result: measured(870.2) })],
  benchmark(1, { phase: 'failed', state: 5, result: 'sysbench: it ended' }),
  { ...benchmark(5, { phase: 'running', done: 0, state: 1, end: undefined }), task: 'checksum' },
]
const perSecond = (second: number) =>
  `2026-11-21T07:40:1${second}.345Z [ ${second}s ] thds: 8 tps: 87${second}.20 qps: 17404.00 (r/w/o: 1/2/3) lat (ms,95%): 5.09 err/s: 0.00 reconn/s: 0.00`

const commit = {
  ...{ id: '3f786850e387550fdab836ed7e6dc881de23001b', author: 'ann', email: 'ann@manager.invalid' },
  ...{
    at: Date.now() - HOUR,
    subject: 'shop: failover-mode from manual to automatic',
    body: 'the night shift is short',
  },
}
const repository = {
  ...{
    state: 'waiting',
    url: 'https://git.example.com/dba/fleet.git',
    head: commit.id,
    answeredAt: Date.now() - 9_000,
  },
  ...{ pushedAt: Date.now() - HOUR, problem: hostile, queued: ['shop/shop.toml'], conflicts: ['shop: failover-limit'] },
  remarks: ['shop/immutable.toml has no effect'],
  incoming: {
    commit: { ...commit, id: '89e6c98d92887913cadf06b2adb97f26cde4849b', author: 'bob' },
    changes: [
      { cluster: 'shop', change: 'edit', settings: ['failover-mode', 'failover-limit'] },
      { cluster: '', change: 'edit', settings: ['log-level'] },
    ],
  },
}

const replies: Readonly<Record<string, unknown>> = {
  '/api/clusters/:cluster/jobs': { header: {}, servers: { db1: { serverUrl: 'db1:3306', tasks: jobs } } },
  '/api/clusters/:cluster/jobs/:job': { ...jobs[0], log: [1, 2, 3].map(perSecond) },
  '/api/clusters/:cluster/settings': [
    { name: 'test', value: true, origin: 'saved', immutable: false },
    { name: 'sysbench-scale', value: 2, origin: 'default', immutable: false },
  ],
  '/api/settings': [
    ...[{ name: 'hosted-crm-api-url', value: 'https://register.example.com', origin: 'file', immutable: true }],
  ],
  '/api/register/status': {
    ...{ state: 'complete', message: 'acme.paris.a is registered.' },
    result: { uri: 'acme.paris.a', plan: 'support', connect_error: 'the file cannot be written' },
  },
  '/api/repository': repository,
  '/api/repository/commits': [commit, { ...commit, id: 'ab'.repeat(20), subject: hostile }],
  '/api/timeline': { entries: [jobEntry, rollEntry, failedEntry], next: null },
  '/api/clusters/:cluster/series': series,
  '/api/clusters/:cluster/timeline': { entries: moves, next: null },
  '/api/alerts': {
    ...{ receivers: [receiver, broken], answered: [acknowledged], silences: [silence] },
    escalation: [
      { afterSeconds: 900, clusters: ['demo'] },
      { afterSeconds: 0, clusters: ['shop'] },
    ],
  },
  '/api/global/alerts': {
    errors: [found('shop', 'ERR00022', 'Another manager acts on the servers of this cluster. db9 of ops2')],
    warnings: [found('demo', 'WARN0101', 'No backup.'), found(hostile, 'WARN0101', 'No backup.')],
  },
  '/api/proxies': [
    { cluster: 'demo', ...proxy },
    { cluster: 'shop', ...proxy, id: 'px2', name: hostile, state: 'Failed', lastError: 'no answer' },
  ],
  '/api/clusters/:cluster/topology/proxies': [proxy],
  '/api/certificates': {
    ...{ listener: { ...certificate(100), selfSigned: true }, clusters: [set('demo', 12), set('shop', 500)] },
    unread: [{ cluster: hostile, problem: 'ssl/ca.pem: permission denied' }],
  },
  '/api/clusters/:cluster/certificates': [
    { ...set('demo', 12), clientCert: '', clientKey: '', caCert: '', serverCert: '' },
  ],
}

/** Address → what it shows of the complete replies. */
const pages: Readonly<Record<string, string>> = {
  '/operations': 'Rolling restart',
  '/alerts': 'the disk comes on Monday',
  '/proxies': 'routes differ',
  '/certificates': 'ssl/ca.pem: permission denied',
  '/findings?code=WARN0101': 'acknowledged',
  '/findings/WARN0101/remedy': '2 of 2 chosen',
  '/manager': 'Other managers',
  '/c/demo/proxies': 'May be read',
  '/c/demo/certificates': 'the former authority is still trusted',
  '/c/demo/backups': 'Backups',
  '/c/demo/jobs': 'Ended',
  '/c/demo/checksums': '1 part differs',
  '/c/demo/checksums?schema=shop&table=orders': 'missing on the replica: id 1207',
  '/c/demo/checksums/schema': 'shop.carts',
  '/c/demo/benchmarks': 'It runs on db1:3306',
  '/c/demo/benchmarks?run=3': 'Benchmark of job 3',
  '/c/demo/price': 'database servers',
  '/statements': 'ann@shop.example',
  '/repository': 'Changed on both sides',
  '/registration': 'What to do next',
  '/c/demo/timeline': 'Print as report',
  '/tokens': 'nightly report',
  '/c/demo/users': 'ann@example.com',
  '/audit': 'Who did what',
  '/c/demo/s/db1/charts': 'Queries a second',
}

const places = {
  ...{ prometheus: 'https://prometheus.example.com', grafana: 'https://grafana.example.com/' },
  ...{ grafanaCluster: 'manager-clusters', grafanaServer: 'manager-servers' },
}

/** Two frames: what follows the size of the window has done so by then. */
const drawn = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** Controls that act. */
const acting = 'main :is(.button-interrupting, .button-destroying, .button-primary), main .ask-again, main .silence-new'
const actingWords =
  /^(Cancel|Send a test|End$|Take back|Acknowledge|Silence|Remedy|Make |Start |Plan |Compare |Repair|Scan |Measure|Apply|Reject|Roll back|Register|Unregister|Ask whether|Connect again)/

describe('pages of the whole service', () => {
  let browser: Browser
  let server: PageServer
  let form: 'complete' | 'bare' = 'complete'

  before(async () => {
    browser = await openBrowser()
    const rows = ['demo', 'shop', hostile].map((name) => fleetRowOf(name, {}))
    server = await servePage(rows, { grants, answer: recordedAnswers(() => form, replies) })
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })
  beforeEach(() => {
    form = 'complete'
    server.readOnly = false
    server.history = places
  })

  /** Each page in one tab, one after the other. */
  async function walk(sight: Sight, visit: (page: WalkedPage, address: string) => Promise<void>): Promise<void> {
    const { page, complaints } = await openPage(browser, sight)
    for (const [address, shown] of Object.entries(pages)) {
      await page.goto(`${server.url}${address}`)
      await page.locator('main h1, main h2, main nav').first().waitFor()
      if (form === 'complete') await page.locator('main').getByText(shown).first().waitFor()
      await page.locator('main .loading').first().waitFor({ state: 'detached' })
      await visit(page, address)
    }
    await page.context().close()
    expect(complaints).to.deep.equal([])
  }
  type WalkedPage = Awaited<ReturnType<typeof openPage>>['page']

  const failures = (page: WalkedPage) => page.locator('.failed').allInnerTexts()

  it('show what is recorded, without barriers, in the light and in the dark theme', async () => {
    const found: string[] = []
    await walk({}, async (page, address) => {
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme })
        await keepPicture(page, `${theme}${address}`)
        found.push(...(await failures(page)).map((text) => `${address}: ${text}`))
        found.push(...(await findBarriers(page)).map((barrier) => `${theme} ${address}: ${barrier}`))
      }
      await page.emulateMedia({ colorScheme: 'light' })
    })
    expect(found).to.deep.equal([])
  })

  it('show no blank panel, and no error, where every optional field is absent', async () => {
    form = 'bare'
    const found: string[] = []
    await walk({}, async (page, address) => {
      found.push(...(await failures(page)).map((text) => `${address}: ${text}`))
      const blank = await page
        .locator('main .panel-body')
        .evaluateAll(
          (bodies) => bodies.filter((body) => (body as unknown as { textContent: string }).textContent === '').length,
        )
      if (blank > 0) found.push(`${address}: ${blank} blank`)
    })
    expect(found).to.deep.equal([])
  })

  it('are no wider than a window of 360 pixels, nor than one of 720 that it becomes', async () => {
    const wide: string[] = []
    await walk({ width: 360, height: 740 }, async (page, address) => {
      for (const width of [360, 720]) {
        await page.setViewportSize({ width, height: 740 })
        await page.evaluate(drawn)
        await keepPicture(page, `${width}${address}`)
        const own = await page.evaluate(
          "Math.max(document.documentElement.scrollWidth, document.querySelector('main').scrollWidth)",
        )
        if (Number(own) > width) wide.push(`${address} at ${width}: ${own}`)
      }
      await page.setViewportSize({ width: 360, height: 740 })
    })
    expect(wide).to.deep.equal([])
  })

  it('have no control that acts for a user who may only read', async () => {
    server.readOnly = true
    const offered: string[] = []
    const { page } = await openPage(browser)
    for (const address of Object.keys(pages)) {
      await page.goto(`${server.url}${address}`)
      await page.getByText('read-only').first().waitFor()
      await page.locator('main .loading').first().waitFor({ state: 'detached' })
      const words = await page.locator('main :is(button, a.button)').allInnerTexts()
      const marked = await page.locator(acting).allInnerTexts()
      offered.push(
        ...[...words.filter((text) => actingWords.test(text)), ...marked].map((text) => `${address}: ${text}`),
      )
    }
    await page.context().close()
    expect(offered).to.deep.equal([])
  })

  describe('by keyboard alone', () => {
    let page: WalkedPage
    const open = async (address: string) => {
      page = (await openPage(browser)).page
      await page.goto(`${server.url}${address}`)
    }
    afterEach(() => page.context().close())

    /** Presses Tab until this has the focus. */
    async function reach(name: string | RegExp, role: 'button' | 'textbox' | 'checkbox' = 'button'): Promise<void> {
      const wanted = page.getByRole(role, { name, exact: true }).last()
      await wanted.waitFor()
      for (let pressed = 0; pressed < 200; pressed += 1) {
        if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`Tab does not reach ${name}`)
    }

    it('a user is dropped through its plan, and the focus is where it was', async () => {
      await open('/c/demo/users')
      await reach('Drop ann@example.com')
      server.acted.length = 0
      await page.keyboard.press('Enter')
      await page.locator('.plan[data-state="planned"]').getByText('Drop a user of the cluster').waitFor()
      await page.keyboard.press('Enter')
      await page.locator('.plan[data-state="ended"]').getByText('Done').waitFor()
      expect(server.acted).to.deep.equal([
        'POST /api/clusters/demo/users/drop?plan',
        'POST /api/clusters/demo/users/drop',
      ])
      expect(server.confirmed).to.equal('users.drop/1')
      await page.keyboard.press('Escape')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
      const focused = page.locator(':focus')
      expect(await focused.getAttribute('aria-label')).to.equal('Drop ann@example.com')
    })

    it('a token is created through its plan; its text is shown once, and a refused form keeps what was typed', async () => {
      await open('/tokens')
      await reach('Create a token…')
      await page.keyboard.press('Enter')
      await reach('Label', 'textbox')
      await page.keyboard.type('report')
      await reach(/^Everything that /, 'checkbox')
      await page.keyboard.press('Space')
      await reach('Create the token…')
      await page.keyboard.press('Enter')
      await page.locator('.plan[data-state="planned"]').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('.plan').waitFor({ state: 'detached' })
      expect(await page.getByLabel('Label').inputValue()).to.equal('report')
      await reach('Create the token…')
      await page.keyboard.press('Enter')
      await page.locator('.plan[data-state="planned"]').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText('It is shown once.').waitFor()
      expect(await page.locator('.plan').count()).to.equal(0)
      expect(await page.getByRole('region', { name: 'The text of the token' }).textContent()).to.contain('mat_')
    })

    it('the audit is narrowed, and the slides are turned, paused and left', async () => {
      await open('/audit')
      await reach('User', 'textbox')
      await page.keyboard.type('ann')
      await page.keyboard.press('Enter')
      await page.waitForURL(/user=ann/)
      await page.goto(`${server.url}/slides`)
      await page.locator('.slide .wall-counts').waitFor()
      await page.keyboard.press('ArrowRight')
      await page.locator('.slide h2').waitFor()
      await page.keyboard.press('Space')
      await page.getByText('Paused').waitFor()
      await page.keyboard.press('Escape')
      await page.waitForURL(`${server.url}/`)
    })
  })

  it('have slides without barriers, in both themes and at 360 pixels', async () => {
    for (const [theme, width] of [
      ['light', 1_440],
      ['dark', 360],
    ] as const) {
      const { page, complaints } = await openPage(browser, { theme, width })
      await page.goto(`${server.url}/slides`)
      for (const turn of ['.wall-counts', 'h2']) {
        await page.locator(`.slide ${turn}`).waitFor()
        await keepPicture(page, `${theme}-${width}-slides-${turn}`)
        expect(await findBarriers(page), `${theme} ${turn}`).to.deep.equal([])
        expect(await page.evaluate('document.documentElement.scrollWidth'), turn).to.be.at.most(width)
        await page.keyboard.press('ArrowRight')
      }
      expect(complaints).to.deep.equal([])
      await page.context().close()
    }
  })

  it('draw what moved the primary role on every chart, number it, and say it below', async () => {
    const { page } = await openPage(browser)
    // What is drawn on a canvas is seen by the calls that draw it.
    await page.addInitScript(`
      globalThis.drawn = []
      const fillText = CanvasRenderingContext2D.prototype.fillText
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        if (/^[12]$/.test(text)) drawn.push({ text, share: x / this.canvas.width })
        return fillText.call(this, text, x, y)
      }
    `)
    await page.goto(`${server.url}/c/demo/s/db1/charts`)
    const marks = page.getByRole('list', { name: 'What moved the primary role' }).getByRole('listitem')
    await marks.first().waitFor()
    expect((await marks.allInnerTexts()).map((text) => text.replace(/^\S+ /, ''))).to.deep.equal([
      'Failover to db2 succeeded after 757 ms',
      'Switchover to db1 succeeded after 61 ms',
    ])
    // Counted by their frames: each is drawn some time after it is there.
    const charts = await page.locator('figure.chart').count()
    expect(charts).to.be.at.least(2)
    const read = () => page.evaluate('JSON.stringify(drawn)') as Promise<string>
    await eventually(async () => JSON.parse(await read()).length >= 2 * charts, 'every chart has both marks')
    const places: { text: string; share: number }[] = JSON.parse(await read())
    // Half and three quarters of the hour, behind the axis with its values.
    for (const { text, share } of places)
      expect(share, text).to.be.within(text === '1' ? 0.5 : 0.74, text === '1' ? 0.6 : 0.82)
    await marks.first().getByRole('link').click()
    await page.waitForURL(/\/c\/demo\/timeline\?.*at=/)
    await page.context().close()
  })

  it('link charts to longer history with cluster, server and span, and to nothing where nothing is set', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${server.url}/c/demo/s/db1/charts?span=6h`)
    const grafana = await page.getByRole('link', { name: /^Grafana/ }).getAttribute('href')
    expect(grafana).to.equal(
      'https://grafana.example.com/d/manager-servers?var-cluster=demo&var-instance=db1.example.com&from=now-6h&to=now',
    )
    const prometheus = new URL((await page.getByRole('link', { name: /^Prometheus/ }).getAttribute('href')) ?? '')
    expect(prometheus.searchParams.get('g0.expr')).to.contain('{cluster="demo",instance="db1.example.com"}')
    server.history = noHistory
    await page.goto(`${server.url}/c/demo/s/db1/charts`)
    await page.locator('figure.chart').first().waitFor()
    expect(await page.getByRole('link', { name: /^(Grafana|Prometheus)/ }).count()).to.equal(0)
    await page.context().close()
  })

  it('mark the tab whose part is open', async () => {
    const { page } = await openPage(browser)
    await page.goto(`${server.url}/c/demo/configuration/drift`)
    await page.locator('.cluster-pages [aria-current="page"]').filter({ hasText: 'Configuration' }).waitFor()
    await page.context().close()
  })
})

/** Where PICTURES names a folder. */
async function keepPicture(
  page: { screenshot(options: { path: string; fullPage: boolean }): Promise<unknown> },
  name: string,
) {
  const folder = process.env.PICTURES
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name.replace(/[^\w]+/g, '-')}.png`, fullPage: true })
}
