// The fleet over real sockets: lists with filters, and the stream of all clusters.
import { get, type IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { expect } from 'chai'
import type { FleetEvent, FleetReader } from '../../../../actors/protocol/manager/fleet.js'
import { routes } from '../../../../http/api/index.js'
import { secret } from '../../../../lib/base/secret.js'
import { fleetRowOf } from '../../../support/http/fleet-rows.js'
import { startTestGateway, type TestGateway, testAccess, testLive } from '../../../support/http/test-gateway.js'
import { eventually, next } from '../../../support/wait.js'

const delta = (number: number, lag: number): FleetEvent => ({
  id: `boot-${number}`,
  kind: 'delta',
  data: { c: 'c1', k: { lag } },
})

describe('the fleet', () => {
  let test: TestGateway
  const followed: { since: string | undefined; reader: FleetReader; signal: AbortSignal }[] = []
  const responses: IncomingMessage[] = []

  beforeEach(async () => {
    test = await startTestGateway({ routes, limits: { eventBytes: 4_096, heartbeatMs: 50 } })
    test.face.fleetRows = [
      fleetRowOf('c1', { lag: 7, tags: ['prod'] }),
      fleetRowOf('c2', { state: 'down', errors: 2, lag: null }),
      fleetRowOf('c3', { state: 'degraded', lag: 30 }),
    ]
    test.face.fleet = {
      ...test.face.fleet,
      follow: ({ since, sees, signal }, reader) => {
        followed.push({ since, reader, signal })
        reader.snapshot(
          test.face.fleetRows.filter(({ name }) => sees(name)),
          'boot-1',
        )
      },
    }
  })
  afterEach(async () => {
    for (const response of responses.splice(0)) response.destroy()
    followed.splice(0)
    await test.close()
  })

  const list = async (query = '', headers: Readonly<Record<string, string>> = {}) =>
    test.ask(`/api/fleet${query}`, { headers: { ...(await test.bearer()), ...headers } })

  const namesOf = async (query: string) =>
    (JSON.parse((await list(query)).body) as { name: string }[]).map(({ name }) => name)

  it('is listed with an ETag, and costs a 304 when nothing has changed', async () => {
    const { status, headers, body } = await list()
    expect([status, JSON.parse(body)]).to.deep.equal([200, test.face.fleetRows])
    const again = await list('', { 'If-None-Match': headers.etag ?? '' })
    expect([again.status, again.body]).to.deep.equal([304, ''])
    expect((await list('?limit=1', { 'If-None-Match': headers.etag ?? '' })).status).to.equal(200)
  })

  it('is filtered, sorted and given in parts', async () => {
    expect(await namesOf('?filter=-state:healthy')).to.deep.equal(['c2', 'c3'])
    expect(await namesOf('?filter=lag%3E5&sort=-lag')).to.deep.equal(['c3', 'c1'])
    expect(await namesOf('?sort=trouble')).to.deep.equal(['c2', 'c3', 'c1'])
    const { headers } = await list('?sort=name&limit=2&filter=c')
    expect(headers['x-total-count']).to.equal('3')
    expect(headers.link).to.equal('</api/fleet?sort=name&limit=2&filter=c&offset=2>; rel="next"')
    expect(await namesOf('?sort=name&limit=2&offset=2')).to.deep.equal(['c3'])
  })

  it('says what is wrong with a filter, and where', async () => {
    for (const [query, said] of [
      ['?filter=c1%20state:well', 'filter: state:well: unknown: well; known: down, broken'],
      ['?filter=lag%3Emany', 'filter: lag>many: a number is expected after > (at character 1)'],
      ['?sort=size', 'sort: unknown: size; known: trouble, name'],
      ['?limit=-1', 'limit'],
    ] as const) {
      const { status, body } = await list(query, { Accept: 'application/problem+json' })
      expect([query, status]).to.deep.equal([query, 400])
      expect(JSON.parse(body).detail).to.contain(said)
    }
  })

  const open = async (target = '/api/fleet/events', headers: Readonly<Record<string, string>> = {}) => {
    const request = get({
      ...{ port: test.gateway.apiPort, path: target, agent: false },
      headers: { ...(await test.bearer()), ...headers },
    })
    const [response] = await next<[IncomingMessage]>(request, 'response', 'the response')
    responses.push(response)
    const seen = { text: '', bytes: 0, closed: false, response }
    const isPacked = response.headers['content-encoding'] === 'gzip'
    response.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length
      if (!isPacked) seen.text += chunk
    })
    if (isPacked)
      response.pipe(createGunzip()).on('data', (chunk) => {
        seen.text += chunk
      })
    response.on('error', () => undefined)
    response.on('close', () => {
      seen.closed = true
    })
    return seen
  }

  it('is streamed: a snapshot, then deltas with their ids', async () => {
    const seen = await open()
    await eventually(
      () => seen.text.includes('event: snapshot'),
      () => seen.text,
    )
    expect(seen.response.headers['content-type']).to.equal('text/event-stream; charset=utf-8')
    expect(seen.text).to.contain(
      `id: boot-1\nevent: snapshot\ndata: ${JSON.stringify({ rows: test.face.fleetRows })}\n\n`,
    )
    followed[0]?.reader.events([delta(2, 8), { kind: 'delta', data: { c: 'c3', k: null } }])
    await eventually(
      () => seen.text.includes('"k":null'),
      () => seen.text,
    )
    expect(seen.text).to.contain(
      'id: boot-2\nevent: delta\ndata: {"c":"c1","k":{"lag":8}}\n\nevent: delta\ndata: {"c":"c3","k":null}\n\n',
    )
    await eventually(
      () => seen.text.includes(': alive'),
      () => seen.text,
    )
  })

  it('is compressed for who takes gzip: the snapshot small, what follows at once and in its order', async () => {
    test.face.fleetRows = Array.from({ length: 1_000 }, (_none, index) =>
      fleetRowOf(`cluster-${index}`, { wps: index }),
    )
    const seen = await open('/api/fleet/events', { 'Accept-Encoding': 'br, gzip' })
    const [{ reader } = expect.fail('nobody follows')] = followed
    reader.events([delta(2, 9)])
    await eventually(
      () => seen.text.includes('boot-2'),
      () => seen.text.slice(-200),
    )
    const plain = await open()
    await eventually(
      () => plain.text.includes('cluster-999'),
      () => plain.text.slice(-200),
    )
    expect(seen.text.startsWith(plain.text.slice(0, plain.text.indexOf('cluster-999')))).to.equal(true)
    expect(seen.text.indexOf('cluster-999')).to.be.below(seen.text.indexOf('boot-2'))
    expect(seen.bytes).to.be.below(60_000)
    reader.events([delta(3, 9)])
    await eventually(
      () => seen.text.includes('boot-3'),
      () => seen.text.slice(-200),
    )
  })

  it('resumes after the header, else after what the address says', async () => {
    await open('/api/fleet/events?since=boot-3')
    await open('/api/fleet/events?since=boot-3', { 'Last-Event-ID': 'boot-9' })
    await open()
    expect(followed.map(({ since }) => since)).to.deep.equal(['boot-3', 'boot-9', undefined])
  })

  it('cuts a reader off that is too slow, but not for a snapshot larger than its bound', async () => {
    test.face.fleetRows = Array.from({ length: 100 }, (_, index) => fleetRowOf(`cluster-${index}`))
    const seen = await open()
    await eventually(
      () => seen.text.includes('cluster-99'),
      () => seen.text,
    )
    seen.response.pause()
    const { reader, signal } = followed[0] ?? expect.fail('nobody follows')
    const many = Array.from({ length: 2_000 }, (_, index) => delta(index, index))
    for (let turn = 0; turn < 400 && !signal.aborted; turn += 1) {
      reader.events([...many])
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(signal.aborted).to.equal(true)
  })

  it('ends with the session', async () => {
    const seen = await open()
    test.gateway.reconfigure({ ...testLive, access: { ...testAccess, credentials: secret('boss:another-password') } })
    await eventually(
      () => seen.closed,
      () => seen.text,
    )
  })
})
