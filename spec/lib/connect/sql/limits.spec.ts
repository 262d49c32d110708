// Servers that send too much, or anything but a reply: the session ends with a clear failure and in bounded memory.
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { type Result, unwrap } from '../../../../lib/base/result.js'
import { ReplyGuard, type SqlLimits, sqlLimits } from '../../../../lib/connect/sql/limits.js'
import { openBoundedSession } from '../../../../lib/connect/sql/mysql2-session.js'
import { accountCount } from '../../../../lib/connect/sql/reply-account.js'
import type { SqlSession, SqlTarget } from '../../../../lib/connect/sql/session.js'
import { openProbeSessionWith } from '../../../../lib/connect/sql/text-protocol/probe-session.js'
import { answer, greeting, okPacket, packet } from '../../../support/canned/packets.js'
import { type Listener, listenWith } from '../../../support/machine/sockets.js'
import { eventually } from '../../../support/wait.js'

const limits: SqlLimits = {
  ...{ packetBytes: 20_000, columns: 64, results: 16, rows: 1_000, cells: 2_000, replyBytes: 100_000 },
  serverBytes: 300_000,
  ...{ loginPacketBytes: 4_096, loginPackets: 16, loginBytes: 8_192 },
}
const small = [{ n: 1, text: 'x' }]
const column = Buffer.concat([Buffer.from('\x03def\0\0\0\x01n\0\x0c', 'latin1'), Buffer.alloc(12)])
const end = Buffer.from([0xfe, 0, 0, 2, 0])
const numbered = (payloads: readonly Buffer[]) =>
  Buffer.concat(payloads.map((payload, index) => packet(index + 1, payload)))
/** The packets of one result with `columns` columns, up to its rows. */
const headOf = (columns: number) => [lengthOf(columns), ...Array.from({ length: columns }, () => column), end]
const lengthOf = (value: number) => Buffer.from([0xfe, ...bytesOf(value)])
const bytesOf = (value: number) => Array.from({ length: 8 }, (_, index) => Math.floor(value / 256 ** index) & 0xff)

/** Packets without end, numbered as they should be, sent as fast as they are taken. */
function endless(socket: Socket, from: number, payload: Buffer): void {
  let sequence = from
  const more = () => {
    const packets = Array.from({ length: 256 }, () => packet(sequence++, payload))
    socket.write(Buffer.concat(packets), (error) => error ?? setImmediate(more))
  }
  more()
}

const hostile: readonly [name: string, reason: RegExp, send: (socket: Socket) => void][] = [
  ['a packet that is longer than allowed', /packet longer than 20000 bytes/, (socket) => socket.write(head(1_000_000))],
  ['packets that continue without end', /packet longer than 20000 bytes/, (socket) => socket.write(head(0xff_ffff))],
  [
    'rows without end',
    /more than 1000 rows/,
    (socket) => {
      socket.write(numbered(headOf(1)))
      endless(socket, 4, Buffer.from('\x011'))
    },
  ],
  [
    'rows without values and without end',
    /more than 2000 values/,
    (socket) => {
      socket.write(numbered(headOf(40)))
      endless(socket, 43, Buffer.alloc(40, 0xfb))
    },
  ],
  ['long rows', /reply longer than 100000 bytes/, (socket) => rowsOf(socket, 15_000)],
  ['results without end', /more than 16 results/, (socket) => endless(socket, 1, Buffer.from([0, 0, 0, 10, 0, 0, 0]))],
  ['too many columns', /result of 65 columns/, (socket) => socket.write(numbered(headOf(65)))],
  [
    'a number of columns beyond memory',
    /columns, more than 64/,
    (socket) => socket.write(packet(1, lengthOf(2 ** 50))),
  ],
  [
    'packets out of order',
    /packet 9 instead of packet 2/,
    (socket) => socket.write(Buffer.concat([packet(1, lengthOf(1)), packet(9, column)])),
  ],
  [
    'a request for a file',
    /request for a local file/,
    (socket) => socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1'))),
  ],
]

const head = (length: number) => Buffer.from([length & 0xff, (length >> 8) & 0xff, length >> 16, 1, 0x01])

function rowsOf(socket: Socket, length: number): void {
  socket.write(numbered(headOf(1)))
  endless(socket, 4, Buffer.concat([Buffer.from([0xfc, length & 0xff, length >> 8]), Buffer.alloc(length, 'x')]))
}

const kinds: readonly [name: string, open: (target: SqlTarget) => Promise<Result<SqlSession>>][] = [
  ['mysql2', (target) => openBoundedSession(target, limits)],
  ['the text protocol', (target) => openProbeSessionWith(target, { limits })],
  ['mysql2 in place of the text protocol', (target) => openProbeSessionWith(target, { limits, find: () => undefined })],
]

for (const [kind, open] of kinds)
  describe(`a session on ${kind}`, () => {
    const listeners: Listener[] = []
    /** Greets, accepts every login, answers the first statement well and the next ones by `send`. */
    const serve = async (send: (socket: Socket) => void): Promise<SqlTarget> => {
      const listener = await listenWith((socket) => {
        let heard = 0
        socket.write(greeting('10.11.1-MariaDB', 7))
        socket.on('data', () => {
          heard += 1
          if (heard === 1) socket.write(okPacket(2))
          else if (heard === 2) socket.write(answer([small]))
          else send(socket)
        })
      })
      listeners.push(listener)
      return {
        ...{ host: '127.0.0.1', port: listener.port, user: 'u', password: 'p' },
        connectTimeoutMs: 30_000,
        bare: true,
      }
    }
    afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())))

    const failing = async (send: (socket: Socket) => void, timeoutMs = 20_000) => {
      const session = unwrap(await open(await serve(send)))
      expect(unwrap(await session.run('SELECT 1', [], 20_000))).to.deep.equal([small])
      const closed = new Promise<string>((resolve) => session.onClose(resolve))
      const [result, waiting] = await Promise.all([
        session.run('SELECT 2', [], timeoutMs),
        session.run('SELECT 3', [], timeoutMs),
      ])
      await closed
      expect(session.open).to.equal(false)
      const later = await session.run('SELECT 4', [], timeoutMs)
      return [result, waiting, later].map((each) => (each.ok ? undefined : each.failure))
    }

    for (const [name, reason, send] of hostile)
      it(`ends at ${name}`, async () => {
        const [failure, waiting, later] = await failing(send)
        expect(failure?.code).to.equal('sql-failed')
        expect(failure?.message).to.match(reason).and.to.contain('connection closed')
        expect([waiting?.code, later?.code]).to.deep.equal(['sql-refused', 'sql-refused'])
      })

    it('ends a slow reply at the deadline of the statement', async () => {
      const [failure] = await failing((socket) => {
        const bytes = answer([small])
        let at = 0
        const drip = setInterval(() => socket.write(bytes.subarray(at, ++at)), 20)
        socket.on('close', () => clearInterval(drip))
        if (at === bytes.length) clearInterval(drip)
      }, 300)
      expect(failure?.code).to.equal('sql-silent')
    })

    describe('and others with the same server', () => {
      const rows = Array.from({ length: 150 }, (_, n) => ({ n, text: 'x'.repeat(300) }))
      const whole = answer([rows])
      const [part, rest] = [whole.subarray(0, -9), whole.subarray(-9)]
      /** Sessions whose second statement gets a part of its reply; `finish` sends the rest. */
      const reading = async (count: number) => {
        const sockets: Socket[] = []
        const target = await serve((socket) => {
          if (sockets.push(socket) > count) socket.write(answer([small]))
          else socket.write(part)
        })
        const sessions = await Promise.all(Array.from({ length: count }, async () => unwrap(await open(target))))
        const failures: (string | undefined)[] = []
        for (const session of sessions) await session.run('SELECT 1', [], 20_000)
        const results = sessions.map(async (session, index) => {
          const result = await session.run('SELECT 2', [], 20_000)
          failures[index] = result.ok ? undefined : result.failure.message
          return result
        })
        return { target, sockets, sessions, results, failures }
      }

      it('ends the one with the largest reply where together they take more than the server may', async () => {
        const { target, sockets, sessions, results, failures } = await reading(7)
        // Each takes some 67,000 bytes.
        const ended = () => failures.filter((each) => each !== undefined)
        await eventually(() => sockets.length === 7 && ended().length === 3, 'three of seven end')
        for (const failure of ended())
          expect(failure).to.match(/the replies of this server take more than 300000 bytes at once, this one \d+; conn/)
        // A short reply of the same server is read while the others take what they may.
        const probe = unwrap(await open(target))
        expect(unwrap(await probe.run('SELECT 1', [], 20_000))).to.deep.equal([small])
        expect(unwrap(await probe.run('SELECT 2', [], 20_000))).to.deep.equal([small])
        probe.close()
        for (const socket of sockets) if (!socket.destroyed) socket.write(rest)
        expect((await Promise.all(results)).filter((result) => result.ok).length).to.equal(4)
        for (const session of sessions) session.close()
        expect(accountCount()).to.equal(0)
      })

      it('counts a reply until it is complete or its session has ended', async () => {
        for (let count = 0; count < 3; count += 1) {
          const { sockets, sessions, results } = await reading(4)
          await eventually(() => sockets.length === 4, 'all have asked')
          const [cut, ...others] = sockets
          cut?.destroy()
          for (const socket of others) socket.write(rest)
          expect((await Promise.all(results)).filter((result) => result.ok).length).to.equal(3)
          for (const session of sessions) session.close()
        }
        expect(accountCount()).to.equal(0)
      })
    })

    for (const [name, greet] of [
      ['speaks another protocol', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
      ['greets with noise', (socket) => socket.write(Buffer.alloc(6_000, 0xa7))],
      ['greets without end', (socket) => endless(socket, 0, Buffer.from([10]))],
    ] as const satisfies readonly (readonly [string, (socket: Socket) => void])[])
      it(`finds no database where something ${name}, before the deadline`, async () => {
        const listener = await listenWith(greet)
        listeners.push(listener)
        const login = { user: 'u', password: 'p', connectTimeoutMs: 60_000 }
        const result = await open({ ...login, host: '127.0.0.1', port: listener.port })
        expect(result.ok).to.equal(false)
      })
  })

describe('ReplyGuard', () => {
  const rows = [
    { a: 1, b: null },
    { a: 2, b: 'y'.repeat(300) },
  ]
  const reply = answer([rows, undefined, small])

  it('accepts data within the limits, however its bytes are cut', () => {
    const guard = new ReplyGuard(sqlLimits)
    for (let cut = 0; cut <= reply.length; cut += 1) {
      guard.expectReply()
      expect(guard.take(reply.subarray(0, cut)) ?? guard.take(reply.subarray(cut)), `cut at ${cut}`).to.equal(undefined)
    }
  })

  it('finds an exceeded limit, however its bytes are cut', () => {
    for (const [bound, reason] of [
      [{ packetBytes: 200 }, /packet longer/],
      [{ columns: 1 }, /columns/],
      [{ results: 2 }, /results/],
      [{ rows: 5 }, /rows/],
      [{ cells: 5 }, /values/],
      [{ replyBytes: reply.length - 1 }, /reply longer/],
    ] as const)
      for (let cut = 0; cut <= reply.length; cut += 1) {
        const guard = new ReplyGuard({ ...sqlLimits, ...bound })
        guard.expectReply()
        expect(guard.take(reply.subarray(0, cut)) ?? guard.take(reply.subarray(cut)), `cut at ${cut}`).to.match(reason)
      }
  })

  it('counts each reply from its beginning', () => {
    const guard = new ReplyGuard({ ...sqlLimits, replyBytes: reply.length, rows: 6 })
    for (let count = 0; count < 5; count += 1) {
      guard.expectReply()
      expect(guard.take(reply)).to.equal(undefined)
    }
  })

  it('counts the packets of a login', () => {
    const guard = new ReplyGuard({ ...sqlLimits, loginPackets: 3 })
    const asked = packet(0, Buffer.from('\xfemysql_native_password\0', 'latin1'))
    for (let count = 0; count < 3; count += 1) expect(guard.take(asked)).to.equal(undefined)
    expect(guard.take(asked)).to.match(/more than 3 packets before the login/)
  })

  it('accepts an error that ends the session and is numbered from 0', () => {
    const guard = new ReplyGuard(sqlLimits)
    guard.expectReply()
    expect(guard.take(Buffer.concat([reply, packet(0, Buffer.from('\xff\x87\x07#70100killed', 'latin1'))]))).to.equal(
      undefined,
    )
  })
})
