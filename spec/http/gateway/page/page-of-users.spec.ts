// A page of users in a real browser, made as such pages are: styles from scripts, a library from elsewhere, addresses of its
// own, a token in the storage of the browser. What its policy lets through, and what not.
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { routes } from '../../../../http/api/index.js'
import { openBrowser, openPage } from '../../../support/browser/chromium.js'
import { pageHeaders } from '../../../support/http/page-requests.js'
import { ScriptedFace } from '../../../support/http/scripted-face.js'
import { startTestGateway, type TestGateway, testLive } from '../../../support/http/test-gateway.js'
import { newDirectory } from '../../../support/machine/directories.js'

const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')}`

const html = (library: string) => `<!doctype html><html><head><title>own</title><link rel="icon" href="${icon}"></head>
<body><div id="root"></div><script src="${library}"></script><script type="module" src="/assets/app-1a2b3c4d.js"></script></body></html>`

/** What it did, as a text of its body. */
const app = (elsewhere: string) => `
const tried = async (work) => { try { return await work() } catch { return 'refused' } }
const headers = ${JSON.stringify(pageHeaders)}
const ask = async (path, init = {}) => {
  const token = localStorage.getItem('user_token')
  const auth = token ? { Authorization: 'Bearer ' + token } : {}
  const answer = await fetch(path, { credentials: 'include', ...init, headers: { ...headers, ...auth } })
  const type = answer.headers.get('Content-Type') ?? ''
  return type.includes('application/json') ? await answer.json() : await answer.text()
}
const login = await ask('/api/login', { method: 'POST', body: JSON.stringify({ username: 'admin', password: 'repman' }) })
localStorage.setItem('user_token', JSON.parse(login).token)
document.getElementById('root').style.color = 'rgb(1, 2, 3)'
const sheet = document.createElement('style')
sheet.textContent = 'body { background-color: rgb(4, 5, 6) }'
document.head.append(sheet)
const seen = {
  at: location.pathname,
  clusters: (await ask('/api/clusters')).map(({ name }) => name),
  locks: await ask('/api/clusters/demo/servers/db1/meta-data-locks'),
  color: getComputedStyle(document.getElementById('root')).color,
  background: getComputedStyle(document.body).backgroundColor,
  library: window.library ?? 'refused',
  evaluated: await tried(() => new Function('return "ran"')()),
  sent: await tried(async () => (await fetch('${elsewhere}/take?token=x')).status),
}
document.body.dataset.seen = JSON.stringify(seen)
`

describe('a page of users in a browser', () => {
  let browser: Browser
  let other: Server
  let gateway: TestGateway
  let elsewhere = ''
  const taken: string[] = []
  before(async () => {
    other = createServer(({ url = '' }, response) => {
      taken.push(url)
      response.writeHead(200, { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' })
      response.end('window.library = "ran"')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const root = newDirectory('page-of-users')
    await mkdir(path.join(root, 'assets'))
    await writeFile(path.join(root, 'index.html'), html(`${elsewhere}/library.js`))
    await writeFile(path.join(root, 'assets/app-1a2b3c4d.js'), app(elsewhere))
    gateway = await startTestGateway({ manager: new ScriptedFace(), routes, page: { root } })
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await gateway.close()
    other.closeAllConnections()
    other.close()
  })

  async function open(address: string) {
    const { page } = await openPage(browser)
    await page.goto(`http://127.0.0.1:${gateway.gateway.httpPort}${address}`)
    await page.waitForSelector('body[data-seen]', { state: 'attached' })
    return JSON.parse((await page.getAttribute('body', 'data-seen')) ?? '{}')
  }

  const usual = {
    ...{ clusters: ['demo'], color: 'rgb(1, 2, 3)', background: 'rgb(4, 5, 6)' },
    ...{ evaluated: 'refused', sent: 'refused' },
  }

  it('logs in, reads and is drawn; nothing of elsewhere runs, nothing is sent there', async () => {
    expect(await open('/clusters/demo/db1')).to.deep.include({ ...usual, at: '/clusters/demo/db1', library: 'refused' })
    expect(taken).to.deep.equal([])
  })

  it('loads what http-root-origins names, and still sends nothing there', async () => {
    gateway.gateway.reconfigure({ ...testLive, pageOrigins: [elsewhere] })
    expect(await open('/')).to.deep.include({ ...usual, at: '/', library: 'ran' })
    expect(taken).to.deep.equal(['/library.js'])
  })
})
