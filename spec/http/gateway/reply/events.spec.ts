// Event streams over real sockets.
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import type { GatewayOptions } from '../../../../http/gateway/index.js'
import { createEventStream, parseLastEventId } from '../../../../http/gateway/reply/events.js'
import { type FairBound, sharedBounds } from '../../../../lib/access/bound/index.js'
import { secret } from '../../../../lib/base/secret.js'
import { HOUR } from '../../../../lib/base/time.js'
import { startTestGateway, type TestGateway, testAccess, testLive } from '../../../support/http/test-gateway.js'
import { eventually, next } from '../../../support/wait.js'

const EVENTS = '/api/clusters/c1/events'

const bound = (other: Partial<FairBound>): FairBound => ({ ...sharedBounds.eventStreams, reserve: 0, ...other })

/** A stream being read: waits for text, or for its end. */
class Reader {
  text = ''
  closed = false
  readonly response: IncomingMessage
  constructor(response: IncomingMessage) {
    this.response = response
    response.on('data', (chunk) => {
      this.text += chunk
    })
    response.on('error', () => {})
    response.on('close', () => {
      this.closed = true
    })
  }
  async until(holds: (reader: Reader) => boolean): Promise<void> {
    await eventually(
      () => holds(this),
      () => `it is seen in: ${this.text}`,
    )
  }
  ids(): number[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  }
}

describe('createEventStream', () => {
  let test: TestGateway
  const readers: Reader[] = []
  const start = async (limits: GatewayOptions['limits'] = {}) => {
    test = await startTestGateway({ limits })
  }
  const open = async (headers: Record<string, string> = {}, query = '') => {
    const request = get({
      port: test.gateway.apiPort,
      path: EVENTS + query,
      agent: false,
      headers: { ...(await test.bearer()), ...headers },
    })
    const [response] = await next<[IncomingMessage]>(request, 'response', 'the response')
    const reader = new Reader(response)
    readers.push(reader)
    await reader.until(({ text }) => text.includes('retry:'))
    return reader
  }
  afterEach(async () => {
    for (const { response } of readers.splice(0)) response.destroy()
    await test.close()
  })

  it('sends each event with its number, kind and fields', async () => {
    await start()
    const reader = await open()
    test.face.emit(5, 'line\nbreak')
    await reader.until((seen) => seen.ids().length === 1)
    expect(reader.response.headers['content-type']).to.equal('text/event-stream; charset=utf-8')
    expect(reader.response.headers['cache-control']).to.equal('no-cache, no-transform')
    const [, kind, body] = /^id: 5\nevent: (\w+)\ndata: (.+)\n\n/m.exec(reader.text) ?? []
    expect(kind).to.equal('state')
    expect(JSON.parse(body ?? '')).to.include({ id: 5, cluster: 'c1', text: 'line\nbreak' })
  })

  it('is not packed, so that each event arrives when it happens', async () => {
    await start()
    const reader = await open({ 'Accept-Encoding': 'gzip' })
    expect(reader.response.headers).to.not.have.property('content-encoding')
  })

  it('needs the grant, and sends the head alone for HEAD', async () => {
    await start()
    expect((await test.ask(EVENTS)).status).to.equal(401)
    expect((await test.ask(EVENTS, { headers: await test.bearer('nobody', 'none') })).status).to.equal(403)
    expect((await test.ask(EVENTS, { method: 'HEAD', headers: await test.bearer() })).status).to.equal(200)
    expect(test.face.listeners.size).to.equal(0)
  })

  for (const [how, headers, query] of [
    ['the header', { 'Last-Event-ID': '2' }, ''],
    ['the query', {}, '?lastEventId=2'],
  ] as const) {
    it(`resumes behind the number of ${how}, without loss and without repetition`, async () => {
      await start()
      for (const id of [1, 2, 3, 4]) test.face.emit(id)
      const reader = await open(headers, query)
      test.face.emit(5)
      await reader.until((seen) => seen.ids().includes(5))
      expect(reader.ids()).to.deep.equal([3, 4, 5])
      expect(reader.text).to.not.include('reset')
    })
  }

  it('notifies a reader that events are missing before it goes on', async () => {
    await start()
    for (const id of [8, 9]) test.face.emit(id)
    const reader = await open({ 'Last-Event-ID': '2' })
    await reader.until((seen) => seen.ids().length === 2)
    expect(reader.text).to.match(/retry: 2000\n\nevent: reset\ndata: {"after":2}\n\nid: 8\n/)
    expect(reader.text.match(/reset/g)).to.have.length(1)
  })

  it('notifies a reader that the numbers have started again', async () => {
    await start()
    const reader = await open({ 'Last-Event-ID': '900' })
    test.face.emit(1)
    await reader.until((seen) => seen.ids().length === 1)
    expect(reader.text).to.include('event: reset')
  })

  it('beats while nothing happens', async () => {
    await start({ heartbeatMs: 20 })
    const reader = await open()
    await reader.until(({ text }) => (text.match(/^: alive$/gm) ?? []).length > 2)
  })

  it('ends with the session, between two beats, and says why', async () => {
    await start({ heartbeatMs: HOUR })
    const reader = await open()
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('boss:new') } })
    await reader.until(({ closed }) => closed)
    expect(reader.text).to.match(/event: ended\ndata: \{"code":"not-logged-in","message":"[^"]+"\}\n\n$/)
    expect(test.face.listeners.size).to.equal(0)
  })

  it('ends with the grant, although the session lives', async () => {
    await start({ heartbeatMs: HOUR })
    const reader = await open()
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, discard: 'boss:show' } })
    await reader.until(({ closed }) => closed)
    expect(reader.text).to.contain('event: ended\ndata: {"code":"no-grant"')
    expect(test.face.listeners.size).to.equal(0)
  })

  it('stops listening when the reader goes', async () => {
    await start()
    const reader = await open()
    expect(test.face.listeners.size).to.equal(1)
    reader.response.destroy()
    await reader.until(() => test.face.listeners.size === 0)
  })

  it('drops a reader that does not read, and keeps the others', async () => {
    await start({ eventBytes: 100_000 })
    const { Authorization } = await test.bearer()
    const lazy = connect(test.gateway.apiPort, '127.0.0.1')
    lazy.pause()
    lazy.on('error', () => {})
    lazy.write(`GET ${EVENTS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\n\r\n`)
    const eager = await open()
    await eager.until(() => test.face.listeners.size === 2)
    for (let id = 1; id <= 2_000 && test.face.listeners.size === 2; id += 1) {
      test.face.emit(id, 'x'.repeat(90_000))
      await eager.until((seen) => seen.ids().at(-1) === id)
    }
    expect(test.face.listeners.size).to.equal(1)
    lazy.destroy()
  })

  it('refuses more streams than it may hold, and takes new ones when old ones end', async () => {
    await start({ eventStreams: bound({ total: 1 }) })
    const first = await open()
    const refused = await test.ask(EVENTS, { headers: await test.bearer() })
    expect([refused.status, refused.headers['content-type']]).to.deep.equal([503, 'text/plain; charset=utf-8'])
    first.response.destroy()
    await first.until(() => test.face.listeners.size === 0)
    await open()
  })

  it('gives one user of a cluster at most a share of the streams, and the others the rest', async () => {
    await start({ eventStreams: bound({ total: 8, perUser: 2 }) })
    const own = [await open(), await open()]
    const refused = await test.ask(EVENTS, { headers: await test.bearer() })
    const why = 'event streams: boss has all 2 of one user; close some of them\n'
    expect([refused.status, refused.body]).to.deep.equal([503, why])
    await open(await test.bearer('viewer', 'see-only'))
    own[0]?.response.destroy()
    await own[0]?.until(() => test.face.listeners.size === 2)
    await open()
  })

  it('does not start for a request that is over already', async () => {
    await start()
    let asked = false
    const stream = createEventStream({
      source: () => {
        asked = true
      },
      after: undefined,
      maxBytes: 100,
      heartbeatMs: 1_000,
      watch: () => () => {},
      signal: AbortSignal.abort(),
    })
    await next(stream.resume(), 'end', 'the end of the stream')
    expect(asked).to.equal(false)
  })
})

describe('parseLastEventId', () => {
  it('takes whole numbers, the header first', () => {
    expect(parseLastEventId('7', '8')).to.equal(7)
    expect(parseLastEventId(undefined, '8')).to.equal(8)
    for (const text of ['', '-1', '1e3', '0x1', 'abc', '9'.repeat(20)])
      expect(parseLastEventId(text, undefined)).to.equal(undefined)
  })
})
