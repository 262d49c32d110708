// The dashboard as browsers load it: addresses, packing, caching, the policy of every answer, and what no address reaches.
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { pageSegments } from '../../../../lib/model/page-paths.js'
import {
  type Answer,
  sendRaw,
  startTestGateway,
  type TestGateway,
  testLive,
} from '../../../support/http/test-gateway.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const SCRIPT = '/assets/main-B1x9Qz_7.js'

async function writePage(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'assets'), { recursive: true })
  const files: Readonly<Record<string, string>> = {
    'index.html': '<!doctype html><title>shell</title>',
    'index.html.br': 'shell in brotli',
    'index.html.gz': 'shell in gzip',
    [`.${SCRIPT}`]: 'script',
    [`.${SCRIPT}.br`]: 'script in brotli',
    'icon.svg': '<svg/>',
    'notes.md': 'not of a page',
    '.env': 'hidden',
    'a b.txt': 'blank',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
}

describe('the page', () => {
  let folder: string
  let test: TestGateway
  before(async () => {
    folder = newDirectory('page')
    await writePage(folder)
    await writeFile(path.join(folder, '../outside.js'), 'outside')
    await symlink('/etc/hostname', path.join(folder, 'linked.txt'))
    await symlink('/etc', path.join(folder, 'etc'))
    test = await startTestGateway({ page: { root: '', built: folder } })
  })
  after(() => test.close())

  const shells = ['/', '/c/shop', '/c/a%20b/timeline', ...pageSegments.map((one) => `/${one}`)]
  const isShell = ({ body }: Answer) => body.includes('<title>shell</title>')

  it('opens at each of its addresses, on both listeners', async () => {
    for (const port of [test.gateway.apiPort, test.gateway.httpPort ?? 0])
      for (const address of shells) {
        const answer = await test.ask(address, { port })
        expect([answer.status, isShell(answer)], address).to.deep.equal([200, true])
        expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8')
      }
  })

  it('leaves every other address unknown, and other methods', async () => {
    for (const address of [
      '/unknown',
      '/cc/shop',
      '/C/shop',
      '/assets',
      '/assets/',
      '/dashboard',
      '/index',
      '/api',
      '/api/x',
    ])
      expect((await test.ask(address)).status, address).to.equal(404)
    expect((await test.ask('/', { method: 'POST' })).status).to.equal(404)
    expect((await test.ask('/', { method: 'HEAD' })).status).to.equal(200)
  })

  it('keeps the shell for no time, files with a digest for a year, others for cache-static-max-age', async () => {
    const caching = async (address: string) => (await test.ask(address)).headers['cache-control']
    expect(await caching('/')).to.equal('no-cache')
    expect(await caching('/index.html')).to.equal('no-cache')
    expect(await caching(SCRIPT)).to.equal('public, max-age=31536000, immutable')
    expect(await caching('/icon.svg')).to.equal('public, max-age=18000')
    test.gateway.reconfigure({ ...testLive, staticMaxAge: 60 })
    expect(await caching('/icon.svg')).to.equal('public, max-age=60')
    test.gateway.reconfigure(testLive)
  })

  it('is sent packed as the browser takes it', async () => {
    const packed = async (address: string, accepted: string) => {
      const { headers, body } = await test.ask(address, { headers: { 'Accept-Encoding': accepted } })
      return [headers['content-encoding'], body, headers.vary]
    }
    expect(await packed('/', 'gzip, deflate, br')).to.deep.equal(['br', 'shell in brotli', 'Accept-Encoding'])
    expect(await packed('/', 'gzip')).to.deep.equal(['gzip', 'shell in gzip', 'Accept-Encoding'])
    expect((await packed('/', 'br;q=0, gzip'))[0]).to.equal('gzip')
    expect((await packed('/', 'identity'))[0]).to.equal(undefined)
    expect((await packed(SCRIPT, 'gzip'))[1]).to.equal('script')
  })

  it('is not sent again to a browser that has it', async () => {
    const { headers } = await test.ask('/', { headers: { 'Accept-Encoding': 'br' } })
    const tag = { 'If-None-Match': headers.etag ?? '' }
    const again = await test.ask('/', { headers: { 'Accept-Encoding': 'br', ...tag } })
    expect([again.status, again.body]).to.deep.equal([304, ''])
    expect((await test.ask('/', { headers: tag })).status, 'of the other form').to.equal(200)
  })

  it('has a policy without inline scripts and styles on every answer', async () => {
    for (const address of [...shells, SCRIPT, '/icon.svg']) {
      const { headers } = await test.ask(address)
      const policy = headers['content-security-policy']
      expect(policy, address).to.include("default-src 'self'").and.include("frame-ancestors 'none'")
      expect(policy).to.include("require-trusted-types-for 'script'").and.include('trusted-types')
      expect(policy).to.not.include('unsafe')
      expect(headers['x-content-type-options']).to.equal('nosniff')
      expect(headers['referrer-policy']).to.equal('no-referrer')
      expect(headers['x-frame-options']).to.equal('DENY')
      expect(headers).to.not.have.property('access-control-allow-origin')
    }
  })

  it('gives no file that is not one of its folder, however it is asked for', async () => {
    for (const address of [
      ...['/../outside.js', '/assets/../../outside.js', '/%2e%2e/outside.js', '/assets/..%2f..%2foutside.js'],
      ...[
        '/..%5coutside.js',
        '/%252e%252e/outside.js',
        '//etc/hostname',
        '/linked.txt',
        '/etc/hostname',
        '/etc/passwd',
      ],
      ...['/.env', '/notes.md', '/index.html%00.js', '/a b.txt', '/index.html.br', `${SCRIPT}.br`, '/c/../outside.js'],
    ]) {
      const answer = await sendRaw(
        test.gateway.apiPort,
        `GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      expect(answer.includes('outside') && !answer.includes('<title>shell'), address).to.equal(false)
      expect(answer.split(' ')[1], address).to.be.oneOf(address.startsWith('/c/') ? ['200', '404'] : ['400', '404'])
    }
    expect((await test.ask('/a%20b.txt')).body).to.equal('blank')
  })

  it('shows the next build without a restart', async () => {
    const other = newDirectory('page')
    await writePage(other)
    const own = await startTestGateway({ page: { root: '', built: other } })
    try {
      await own.ask('/')
      await writeFile(path.join(other, 'index.html'), '<title>the next build</title>')
      await writeFile(path.join(other, 'assets/next-12345678.js'), 'next')
      await rm(path.join(other, 'index.html.br'))
      await rm(path.join(other, 'index.html.gz'))
      const isNext = async () =>
        (await own.ask('/')).body.includes('the next build') &&
        (await own.ask('/assets/next-12345678.js')).body === 'next'
      await eventually(isNext, 'the page is that of the next build')
    } finally {
      await own.close()
    }
  })

  describe('at /dashboard', () => {
    it('is unknown while api-dashboard-user is empty, or names no user', async () => {
      expect((await test.ask('/dashboard')).status).to.equal(404)
      test.gateway.reconfigure({ ...testLive, visitors: { dashboard: 'stranger' } })
      expect((await test.ask('/dashboard')).status).to.equal(404)
    })

    it('opens, and its token reads as that user', async () => {
      test.gateway.reconfigure({ ...testLive, visitors: { dashboard: 'viewer' } })
      const answer = await test.ask('/dashboard')
      expect([answer.status, isShell(answer), answer.headers['cache-control']]).to.deep.equal([200, true, 'no-cache'])
      const { token } = JSON.parse((await test.ask('/api/dashboard-token')).body)
      const me = await test.ask('/api/me', { headers: { Authorization: `Bearer ${token}` } })
      expect(JSON.parse(me.body)).to.include({ user: 'viewer', kind: 'visitor', readOnly: true })
      expect((await test.ask('/dashboard/x')).status).to.equal(404)
    })

    it('does not open for the shipped password from elsewhere', async () => {
      test.gateway.reconfigure({ ...testLive, visitors: { dashboard: 'admin' } })
      expect((await test.ask('/dashboard')).status).to.equal(200)
      expect((await test.ask('/dashboard', { headers: { 'X-Forwarded-For': '203.0.113.9' } })).status).to.equal(404)
      test.gateway.reconfigure(testLive)
    })
  })

  it('stays on the listener that serves no protected endpoint', async () => {
    const own = await startTestGateway({ httpsBind: true, page: { root: '', built: folder } })
    try {
      const port = own.gateway.httpPort ?? 0
      expect(isShell(await own.ask('/', { port }))).to.equal(true)
      expect((await own.ask('/api/me', { port })).status).to.equal(404)
      expect((await own.ask('/api/me')).status).to.equal(401)
    } finally {
      await own.close()
    }
  })

  it('of http-root is served in its place, with its own styles allowed', async () => {
    const own = await startTestGateway({ page: { root: folder, built: newDirectory('none') } })
    try {
      const answer = await own.ask('/')
      expect(isShell(answer)).to.equal(true)
      expect(answer.headers['content-security-policy']).to.include("style-src 'self' 'unsafe-inline'")
    } finally {
      await own.close()
    }
  })

  describe('of http-root', () => {
    let own: TestGateway
    const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    before(async () => {
      const root = newDirectory('own-page')
      await writePage(root)
      await mkdir(path.join(root, 'static/img'), { recursive: true })
      await writeFile(path.join(root, 'static/img/icon.57.png'), 'icon')
      await writeFile(path.join(root, 'favicon.ico'), 'icon')
      own = await startTestGateway({ page: { root, built: newDirectory('none') } })
    })
    after(() => own.close())

    it('opens at addresses of its own, names with dots among them', async () => {
      for (const address of ['/', '/login', '/clusters/shop', '/clusters/shop/db1.example.com', '/slideshow', '/x/y'])
        expect(isShell(await own.ask(address, { headers: html })), address).to.equal(true)
    })

    it('is not what a script or a picture gets for an address that is unknown', async () => {
      for (const headers of [{ Accept: '*/*' }, { Accept: 'image/avif,image/webp,*/*' }, {}])
        expect((await own.ask('/clusters/shop', { headers })).status).to.equal(404)
    })

    it('covers no address of the interface, and none where files would be', async () => {
      for (const address of [
        ...['/api', '/api/', '/api/login-git', '/api/x', '/meet/x', '/graphite/x', '/static/img/none.png'],
        ...['/assets/none.js', '/images/none.png', '/api-docs/none', '/dashboard'],
      ]) {
        const answer = await own.ask(address, { headers: html })
        expect([answer.status, isShell(answer)], address).to.deep.equal([404, false])
      }
      expect((await own.ask('/api/status', { headers: html })).body).to.include('"alive"')
    })

    it('has its files where it has them, with their types', async () => {
      const types = async (address: string) => (await own.ask(address)).headers['content-type']
      expect(await types('/static/img/icon.57.png')).to.equal('image/png')
      expect(await types('/favicon.ico')).to.equal('image/x-icon')
      expect(await types(SCRIPT)).to.equal('text/javascript; charset=utf-8')
    })

    it('loads nothing from elsewhere unless http-root-origins names it, and asks only here', async () => {
      const policy = async () => String((await own.ask('/')).headers['content-security-policy'])
      expect(await policy())
        .to.include("script-src 'self';")
        .and.include("connect-src 'self';")
      own.gateway.reconfigure({ ...testLive, pageOrigins: ['https://cdn.example.com'] })
      expect(await policy())
        .to.include("script-src 'self' https://cdn.example.com;")
        .and.include("connect-src 'self';")
      expect(await policy()).not.to.match(/script-src[^;]*unsafe/)
      own.gateway.reconfigure(testLive)
    })

    it('gets no more rights on the interface than any page', async () => {
      const { headers } = await own.ask('/api/status', { headers: { Origin: 'https://elsewhere.example' } })
      expect(headers).not.to.have.property('access-control-allow-origin')
    })
  })

  it('of the manager keeps its policy whatever http-root-origins names', async () => {
    const policy = async () => (await test.ask('/')).headers['content-security-policy']
    const before = await policy()
    test.gateway.reconfigure({ ...testLive, pageOrigins: ['https://cdn.example.com'] })
    expect(await policy()).to.equal(before)
    test.gateway.reconfigure(testLive)
  })

  for (const [name, root, text] of [
    ['the dashboard is not built', '', 'npm run build'],
    ['the folder of http-root is missing', '/no/such/<folder>', '/no/such/&lt;folder&gt;'],
  ] as const)
    it(`says so when ${name}, and the API goes on`, async () => {
      const own = await startTestGateway({ page: { root, built: newDirectory('none') } })
      try {
        const answer = await own.ask('/')
        expect(answer.status).to.equal(200)
        expect(answer.body).to.include(text).and.include('/api-docs').and.include('/api/runbooks')
        expect(answer.headers['content-security-policy']).to.include("default-src 'none'")
        expect((await own.ask('/c/shop')).status).to.equal(404)
        expect((await own.ask('/api/status')).status).to.equal(200)
      } finally {
        await own.close()
      }
    })
})
