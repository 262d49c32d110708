import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { followEvents, openEvents, readEvents, type StreamItem } from '../../../http/client/events.js'
import { createSession } from '../../../http/client/session.js'
import { unwrap } from '../../../lib/base/result.js'
import type { ClusterEvent } from '../../../lib/model/event.js'
import { next } from '../../support/wait.js'

const event = (id: number): ClusterEvent => ({ id, at: 0, cluster: 'demo', kind: 'log', level: 'INFO', text: `e${id}` })
const block = (id: number): string => `id: ${id}\nevent: log\ndata: ${JSON.stringify(event(id))}\n\n`

describe('readEvents', () => {
  const read = async (...chunks: readonly string[]) => {
    const items: StreamItem[] = []
    for await (const item of readEvents(Readable.from(chunks.map((text) => Buffer.from(text))))) items.push(item)
    return items
  }

  it('reads an event', async () => {
    expect(await read(block(7))).to.deep.equal([{ type: 'event', event: event(7) }])
  })

  it('joins the lines of its data', async () => {
    const joined = [{ type: 'event', event: { id: 1, at: 2 } }]
    expect(await read('data: {"id":1,\ndata: "at":2}\n\n')).to.deep.equal(joined)
    expect(await read('data: {"id":1,\r\ndata: "at":2}\r\n\r\n')).to.deep.equal(joined)
  })

  it('reads a gap', async () => {
    expect(await read('event: reset\ndata: {"after":3}\n\n')).to.deep.equal([{ type: 'missed' }])
  })

  it('puts characters together that are cut', async () => {
    const text = Buffer.from('data: {"text":"zwölf"}\n\n')
    const items: StreamItem[] = []
    for await (const item of readEvents(Readable.from([text.subarray(0, 19), text.subarray(19)]))) items.push(item)
    expect(items).to.deep.equal([{ type: 'event', event: { text: 'zwölf' } }])
  })

  for (const text of [': alive', 'retry: 2000', '', 'data: half'])
    it(`leaves out "${text}"`, async () => {
      expect(await read(`${text}\n\n`, block(8))).to.deep.equal([{ type: 'event', event: event(8) }])
    })

  it('ends a stream whose event has no end', async () => {
    const long = 'x'.repeat(1_000_000)
    expect(await read(block(9), 'data: ', ...Array.from({ length: 20 }, () => long))).to.deep.equal([
      { type: 'event', event: event(9) },
    ])
  })
})

describe('followEvents', () => {
  /** What the manager does with each stream that is opened, in order. */
  type Turn = (response: http.ServerResponse) => void
  let server: http.Server | undefined
  let stream: http.ServerResponse | undefined
  const after: (string | undefined)[] = []

  const serve = async (...turns: readonly Turn[]) => {
    const rest = [...turns]
    after.length = 0
    server = http.createServer((request, response) => {
      if (request.url === '/api/login') response.end('{"token":"t"}')
      else {
        after.push(request.headers['last-event-id'] as string | undefined)
        rest.shift()?.(response)
      }
    })
    server.listen(0, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    const { port } = server.address() as AddressInfo
    return createSession({ host: '127.0.0.1', port, insecure: false }, { user: 'spec', password: async () => 'p' })
  }
  const take = async (
    items: AsyncIterable<StreamItem>,
    count: number,
    onItem: (text: string) => unknown = () => {},
  ) => {
    const taken: string[] = []
    for await (const item of items) {
      const text = item.type === 'event' ? item.event.text : item.type
      taken.push(text)
      onItem(text)
      if (taken.length === count) break
    }
    return taken
  }
  const follow = async (...turns: readonly Turn[]) => {
    const session = await serve(...turns)
    const opened = unwrap(await openEvents(session, 'demo'))
    if (opened.type !== 'open') throw new Error('refused')
    return followEvents(session, 'demo', opened.response)
  }
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  it('puts events together however they are cut', async () => {
    const text = block(1) + block(2) + block(3)
    const cuts = [block(1).length + 5, text.length - 1]
    const items = await follow((response) => {
      stream = response
      response.write(text.slice(0, cuts[0]))
    })
    // What comes before a cut was read once its event is there.
    const seen = await take(items, 3, (last) => {
      if (last === 'e1') stream?.write(text.slice(...cuts))
      if (last === 'e2') stream?.write(text.slice(cuts[1]))
    })
    expect(seen).to.deep.equal(['e1', 'e2', 'e3'])
  })

  it('resumes after the last event it has seen, whether the stream ended or broke off', async () => {
    const items = await follow(
      (response) => response.end(block(1) + block(2)),
      (response) => {
        stream = response
        response.write(block(3))
      },
      (response) => response.write(block(4)),
    )
    const seen = await take(items, 6, (last) => last === 'e3' && stream?.destroy())
    expect(seen).to.deep.equal(['e1', 'e2', 'lost', 'e3', 'lost', 'e4'])
    expect(after).to.deep.equal([undefined, '2', '3'])
  })

  it('tries again while the manager starts, and ends when it turns the reader away', async () => {
    const items = await follow(
      (response) => response.end(block(1)),
      (response) => response.writeHead(503).end(),
      (response) => response.writeHead(403).end('No valid ACL'),
    )
    expect(await take(items, 9)).to.deep.equal(['e1', 'lost', 'refused'])
    expect(after).to.have.length(3)
  })

  it('closes the stream when the reader leaves', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const items = await follow((response) => {
      closed = once(response, 'close')
      response.write(block(1))
    })
    await take(items, 1)
    await closed
  })
})

describe('openEvents', () => {
  it('gives the reply that refuses it', async () => {
    const server = http.createServer((request, response) =>
      request.url === '/api/login' ? response.end('{"token":"t"}') : response.writeHead(500).end('No cluster'),
    )
    server.listen(0, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    const { port } = server.address() as AddressInfo
    const session = createSession(
      { host: '127.0.0.1', port, insecure: false },
      { user: 'x', password: async () => 'p' },
    )
    const opened = unwrap(await openEvents(session, 'none'))
    expect(opened.type === 'refused' && opened.reply).to.deep.include({ status: 500, body: 'No cluster' })
    server.close()
  })
})
