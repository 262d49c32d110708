// Crowds that want the gateway for themselves: open connections, bad tokens, wrong passwords, large and slow bodies.
import { type ChildProcess, spawn } from 'node:child_process'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { FLAG_KNOWN, FLAG_VALID_PRIMARY } from '../../../actors/protocol/actor.js'
import { readFileLimit } from '../../../http/gateway/server/file-limit.js'
import { type Ask, startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'
import { eventually, next } from '../../support/wait.js'

const CHECK = '/api/clusters/c1/servers/alpha/is-master'

/** Opens connections to the port and keeps them: `<open> <closed>` on its output whenever one of them changes. */
const CROWD = `
const { connect } = require('node:net')
const [port, count, words] = process.argv.slice(1)
let open = 0, closed = 0, begun = 0
const report = () => process.stdout.write(open + ' ' + closed + '\\n')
const begin = () => {
  if (begun === Number(count)) return
  begun += 1
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('connect', () => { open += 1; socket.write(words); report(); begin() })
  socket.on('error', () => {})
  socket.on('close', () => { closed += 1; report(); begin() })
}
for (let index = 0; index < 100; index += 1) begin()
`

describe('the gateway', () => {
  let test: TestGateway
  const start = async (options: Parameters<typeof startTestGateway>[0] = {}) => {
    test = await startTestGateway(options)
    test.face.flagWords.set('c1/0', FLAG_KNOWN | FLAG_VALID_PRIMARY)
  }
  afterEach(() => test.close())

  /** Asks for the role until the work is done, and once more then: no client may be kept waiting or be refused. */
  async function checksDuring(work: Promise<unknown>): Promise<number> {
    let isOver = false
    const watched = work.finally(() => {
      isOver = true
    })
    let answered = 0
    do {
      expect((await test.ask(CHECK)).body).to.equal('200 -Valid Master!')
      answered += 1
    } while (!isOver)
    await watched
    return answered
  }

  /** Sends the request so often over a few kept connections; the statuses and how often each came. */
  async function repeat(times: number, make: (index: number) => { readonly path: string } & Ask) {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 })
    const counts = new Map<number, number>()
    const one = (index: number) =>
      new Promise<void>((resolve, reject) => {
        const { path, method = 'GET', headers, body } = make(index)
        const sent = httpRequest({ port: test.gateway.apiPort, path, method, headers, agent }, (response) => {
          const status = response.statusCode ?? 0
          counts.set(status, (counts.get(status) ?? 0) + 1)
          response.resume().once('end', resolve)
        })
        sent.once('error', reject).end(body)
      })
    await Promise.all(Array.from({ length: times }, (_, index) => one(index)))
    agent.destroy()
    return Object.fromEntries(counts)
  }

  describe('beside ten thousand open connections', () => {
    const crowds: ChildProcess[] = []
    afterEach(() => {
      for (const crowd of crowds.splice(0)) crowd.kill('SIGKILL')
    })

    /** Resolves when every connection of the crowd was opened. */
    async function gather(count: number, words: string): Promise<() => readonly [open: number, closed: number]> {
      const args = ['-e', CROWD, String(test.gateway.apiPort), String(count), words]
      const crowd = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      crowds.push(crowd)
      let counts: readonly [number, number] = [0, 0]
      createInterface({ input: crowd.stdout }).on('line', (line) => {
        const [open = 0, closed = 0] = line.split(' ').map(Number)
        counts = [open, closed]
      })
      await eventually(
        () => counts[0] === count,
        () => `${counts.join(' opened, closed ')} of ${count}`,
      )
      return () => counts
    }
    /** As many as the system lets this process have, beside its own files. */
    const most = async () => Math.min(10_000, (await readFileLimit()) - 1_000)

    it('answers role checks', async () => {
      await start()
      await checksDuring(gather(await most(), ''))
    })

    it('gives the places of those who ask nothing to those who come', async () => {
      await start({ limits: { connections: 50 } })
      const connections = await gather(300, 'GET /api/st')
      await eventually(
        () => connections()[1] >= 250,
        () => `closed ${connections()[1]}`,
      )
      for (let index = 0; index < 60; index += 1) expect((await test.ask(CHECK)).status).to.equal(200)
      expect((await test.login('boss', 'right-password')).status).to.equal(200)
    })

    it('keeps a connection that has asked before, while silent ones come', async () => {
      await start({ limits: { connections: 20, keepAliveMs: 120_000 } })
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const ask = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const sent = httpRequest({ port: test.gateway.apiPort, path: CHECK, agent }, (response) => {
            response.resume().once('end', () => resolve(sent.socket?.localPort))
          })
          sent.once('error', reject).end()
        })
      const port = await ask()
      await gather(100, '')
      expect(await ask()).to.equal(port)
      agent.destroy()
    })

    it('takes new ones when all that are open have been answered and wait', async () => {
      await start({ limits: { connections: 20 } })
      await gather(20, 'GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n')
      await eventually(async () => (await test.ask(CHECK).catch(() => undefined))?.status === 200, 'there is room')
    })
  })

  describe('beside thousands of bad tokens', () => {
    it('refuses each and answers role checks', async () => {
      await start()
      const { Authorization } = await test.bearer()
      const [head = '', ...parts] = Authorization.split('.')
      // Long enough and rightly begun, so that it takes an RSA operation to see that they are false.
      const forged = (index: number) =>
        [head, `${index}`.padStart(8, 'A') + (parts[0] ?? '').slice(8), ...parts.slice(1)].join('.')
      const kinds = [
        (index: number) => `Bearer mat_${'x'.repeat(40)}${index}`,
        (index: number) => `Bearer ${index}.b.c`,
        (index: number) => `Basic ${index}`,
        forged,
      ]
      const all = repeat(2_000, (index) => ({
        path: '/api/clusters',
        headers: { Authorization: kinds[index % kinds.length]?.(index) ?? '' },
      }))
      await checksDuring(all)
      const { 401: refused = 0, 503: busy = 0, ...others } = await all
      expect([refused + busy, others]).to.deep.equal([2_000, {}])
      expect(refused).to.be.at.least(1_500)
      expect((await test.ask('/api/clusters', { headers: { Authorization } })).status).to.equal(200)
    })

    it('lets people log in', async () => {
      await start()
      const { Authorization } = await test.bearer()
      const cut = Authorization.lastIndexOf('.') - 8
      const forged = (index: number) =>
        Authorization.slice(0, cut) + `${index}`.padStart(8, 'A') + Authorization.slice(cut + 8)
      const flood = repeat(1_000, (index) => ({ path: '/api/clusters', headers: { Authorization: forged(index) } }))
      expect((await test.login('viewer', 'see-only')).status).to.equal(200)
      await flood
    })
  })

  describe('beside thousands of wrong passwords', () => {
    it('answers role checks and those who are logged in, and fills no log', async () => {
      await start()
      const headers = await test.bearer()
      const wrong = repeat(5_000, (index) => ({
        path: '/api/login',
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: '*/*' },
        body: JSON.stringify({ username: `${'guess'.repeat(20)}${index}`, password: `${index}` }),
      }))
      await checksDuring(wrong)
      const { 401: refused = 0, 429: locked = 0, ...others } = await wrong
      expect([refused + locked, others]).to.deep.equal([5_000, {}])
      // The first ten, and those that had a turn: twenty wait, and two a second follow.
      expect(refused).to.be.within(10, 1_000)
      expect((await test.ask('/api/clusters', { headers })).status).to.equal(200)
      const lines = test.logged.filter(({ code }) => code === 'login-failed' || code === 'login-locked')
      const counted = lines.reduce((sum, { fields }) => sum + Number(fields.unlogged ?? 0), lines.length)
      expect(lines.length).to.be.below(5_000)
      expect(counted).to.be.at.most(5_000)
    })
  })

  describe('beside wrong passwords for one name, from many addresses without a pause', () => {
    it('lets the user in from addresses without a failure, each time', async () => {
      await start({ trustedProxies: ['127.0.0.1/32'] })
      const from = (address: string) => ({ 'X-Forwarded-For': address })
      let isOver = false
      let [guesses, refused] = [0, 0]
      const guess = async () => {
        while (!isOver) {
          guesses += 1
          const { status } = await test.login('boss', `guess-${guesses}`, from(`10.0.0.${guesses % 48}`))
          if (status === 429) refused += 1
        }
      }
      const crowd = Promise.all(Array.from({ length: 24 }, guess))
      await eventually(
        () => refused >= 24,
        () => `${refused} of ${guesses} guesses refused`,
      )
      const own = [1, 2, 3, 4].map((host) => test.login('boss', 'right-password', from(`192.0.2.${host}`)))
      const statuses = (await Promise.all(own)).map(({ status }) => status)
      isOver = true
      await crowd
      expect(statuses).to.deep.equal([200, 200, 200, 200])
    })
  })

  describe('beside bodies of 10 MB', () => {
    it('refuses each, declared or not, and answers role checks', async () => {
      await start()
      const piece = Buffer.alloc(65_536, 'x')
      /** Everything the other side says to a body of which it takes as much as it likes. */
      const upload = (head: string, frame: (bytes: Buffer) => Buffer) =>
        new Promise<string>((resolve) => {
          let text = ''
          let left = 160
          const socket = connect(test.gateway.apiPort, '127.0.0.1')
          const more = () => {
            while (left > 0 && !socket.destroyed) {
              left -= 1
              if (!socket.write(frame(piece))) return
            }
          }
          socket.write(`POST /api/login HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`)
          socket.on('connect', more).on('drain', more)
          socket.on('data', (bytes) => {
            text += bytes
            socket.destroy()
          })
          socket.on('error', () => {})
          socket.on('close', () => resolve(text))
        })
      const chunk = (bytes: Buffer) =>
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      const uploads = Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          index % 2 === 0
            ? upload('Content-Length: 10485760', (bytes) => bytes)
            : upload('Transfer-Encoding: chunked', chunk),
        ),
      )
      await checksDuring(uploads)
      // A side that is cut off while it writes may lose the answer.
      for (const answer of await uploads) expect(answer).to.match(/^(HTTP\/1\.1 413 |$)/)
    })
  })

  describe('beside clients that send byte after byte', () => {
    it('cuts them off, in their head and in their body', async () => {
      await start({ limits: { headersMs: 300, requestMs: 600 } })
      const drip = async (start: string, byte: string) => {
        const socket = connect(test.gateway.apiPort, '127.0.0.1')
        socket.on('error', () => {})
        await next(socket, 'connect', 'a connection')
        socket.write(start)
        const dripping = setInterval(() => socket.write(byte), 20)
        socket.resume()
        await next(socket, 'close', 'the end of it')
        clearInterval(dripping)
      }
      const head = 'POST /api/login HTTP/1.1\r\nHost: x\r\n'
      await Promise.all([drip(head, 'a'), drip(head, 'X-A: b\r\n'), drip(`${head}Content-Length: 999999\r\n\r\n`, ' ')])
    })
  })
})
