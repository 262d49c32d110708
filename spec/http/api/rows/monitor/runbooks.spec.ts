// Runbook pages over HTTP: for browsers and terminals, without a login.
import { expect } from 'chai'
import { openWire, type Wire } from '../../../../support/http/wire.js'

describe('GET /api/runbooks', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())
  const anonymous = { Authorization: '' }

  it('answers Markdown, and HTML to a browser, without a login', async () => {
    const text = await wire.ask('/api/runbooks/ERR00012?cluster=shop', { headers: anonymous })
    expect([text.status, text.headers['content-type']]).to.deep.equal([200, 'text/markdown; charset=utf-8'])
    expect(text.body).to.include('# ERR00012').and.include('manager-cli --cluster shop topology')
    const page = await wire.ask('/api/runbooks/err00012', { headers: { ...anonymous, Accept: 'text/html,*/*' } })
    expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).to.include("default-src 'none'")
    expect(page.body).to.match(/^<!doctype html>[\s\S]*ERR00012/)
  })

  it('names a server by an IPv6 address', async () => {
    const { status, body } = await wire.ask('/api/runbooks/ERR00012?cluster=shop&server=%5B2001%3Adb8%3A%3A1%5D%3A3306')
    expect(status, body).to.equal(200)
  })

  it('answers 304 to a client that has the page', async () => {
    const { headers } = await wire.ask('/api/runbooks/ERR00012')
    const again = await wire.ask('/api/runbooks/ERR00012', { headers: { 'If-None-Match': String(headers.etag) } })
    expect(again.status).to.equal(304)
  })

  it('refuses a name that does not exist, and one that a shell could read otherwise', async () => {
    expect((await wire.ask('/api/runbooks/ERR99999')).status).to.equal(404)
    expect((await wire.ask('/api/runbooks/ERR00012?server=%24(id)')).status).to.equal(400)
  })

  it('lists all pages', async () => {
    const { body } = await wire.ask('/api/runbooks', { headers: { Accept: 'text/html' } })
    expect(body).to.include('href="runbooks/ERR00012"').and.include('href="runbooks/ManagerDown"')
  })
})
