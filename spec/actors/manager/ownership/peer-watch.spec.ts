// Whether peers are heard, from servers that answer as a manager does, or otherwise.
import http from 'node:http'
import { expect } from 'chai'
import { PeerWatch } from '../../../../actors/manager/ownership/peer-watch.js'
import { eventually } from '../../../support/wait.js'

describe('PeerWatch', () => {
  const servers: http.Server[] = []
  let watch: PeerWatch | undefined
  afterEach(() => {
    watch?.close()
    for (const server of servers.splice(0)) {
      server.close()
      server.closeAllConnections()
    }
  })

  /** A peer whose answer is what `answer` holds at the time; asked so often. */
  const peer = async (answer: { status: number; body: string }) => {
    const asked = { count: 0, address: '' }
    const server = http.createServer((request, response) => {
      asked.count += request.url === '/api/heartbeat' ? 1 : 0
      response.writeHead(answer.status)
      response.end(answer.body)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    asked.address = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    return asked
  }
  const start = (...peers: readonly string[]) => {
    watch = new PeerWatch({ peers, uid: 1, timeoutMs: 500 })
    watch.start()
    return watch
  }
  const heartbeat = (id: number) => ({ status: 200, body: JSON.stringify({ uuid: 'a', id, status: 'A' }) })

  it('knows no silence without peers', () => {
    expect(start().silence()).to.equal(undefined)
  })

  it('hears a peer, and notices when it falls silent', async () => {
    const answer = heartbeat(2)
    const { address } = await peer(answer)
    const watching = start(address)
    expect(watching.silence(), 'at the start it is given time').to.equal(undefined)
    answer.status = 500
    await eventually(() => watching.silence() === `Not heard: ${address}.`, 'it is silent')
    answer.status = 200
    await eventually(() => watching.silence() === undefined, 'it is heard')
  })

  it('hears them as long as one of them is', async () => {
    const [one, other] = [await peer(heartbeat(2)), await peer({ status: 200, body: 'no heartbeat' })]
    const watching = start(one.address, other.address)
    await eventually(() => other.count > 5, 'it was asked for longer than silence takes')
    expect(watching.silence()).to.equal(undefined)
  })

  it('passes over an address that is its own', async () => {
    const own = await peer(heartbeat(1))
    const watching = start(own.address, '127.0.0.1:1')
    await eventually(() => watching.silence() === 'Not heard: 127.0.0.1:1.', 'the other one is silent')
  })
})
