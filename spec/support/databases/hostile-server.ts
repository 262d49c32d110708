// Servers that speak the protocol of databases and mean harm, or are broken: one row per kind.
import { generateKeyPairSync } from 'node:crypto'
import net, { type AddressInfo, type Socket } from 'node:net'
import { greeting, greetingSalt, okPacket, packet } from '../canned/packets.js'

/** When a kind stops behaving: at the greeting, at the login, or with its answers to statements. */
type Stage = 'greeting' | 'login' | 'reply'

interface Kind {
  readonly stage: Stage
  readonly act: (socket: Socket) => void
}

const chunk = Buffer.alloc(65_536, 'x')
const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ownKey = own.publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** Writes for as long as the socket takes it, and goes on when it takes more. */
function endlessly(socket: Socket, make: (count: number) => Buffer): void {
  let count = 0
  const more = () => {
    while (!socket.destroyed && socket.write(make(count++)));
  }
  socket.on('drain', more)
  more()
}

/** One byte at a time. */
function drip(socket: Socket, bytes: Buffer): void {
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else socket.write(bytes.subarray(at % bytes.length, (at++ % bytes.length) + 1))
  }, 20)
  socket.on('close', () => clearInterval(timer))
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
const eof = (sequence: number, status = 2): Buffer => packet(sequence, Buffer.from([0xfe, 0, 0, status, 0]))

function columnPacket(sequence: number, name: string): Buffer {
  const fixed = Buffer.from([0x0c, 45, 0, 0, 4, 0, 0, 253, 0, 0, 0, 0, 0])
  return packet(sequence, Buffer.concat([text('def'), text(''), text(''), text(''), text(name), text(name), fixed]))
}

/** The head of a result with these columns. */
const head = (columns: number): Buffer =>
  Buffer.concat([
    packet(1, columns < 0xfb ? Buffer.from([columns]) : Buffer.from([0xfc, columns & 0xff, columns >>> 8])),
    ...Array.from({ length: columns }, (_, index) => columnPacket(2 + index, `c${index}`)),
    eof(2 + columns),
  ])

/** One value of 65,533 bytes. */
const longRow = Buffer.concat([Buffer.from([0xfc, 0xfd, 0xff]), chunk.subarray(0, 65_533)])

const row = (sequence: number, columns = 1): Buffer =>
  packet(sequence, Buffer.concat(Array.from({ length: columns }, () => Buffer.from([3, 0x61, 0x62, 0x63]))))

const authSwitch = (plugin: string): Buffer =>
  packet(2, Buffer.concat([Buffer.from([0xfe]), Buffer.from(`${plugin}\0`), greetingSalt, Buffer.from([0])]))

/** Rows after the head of a result, numbered as they must be, many in one write. */
function rowsFor(socket: Socket, columns: number): void {
  socket.write(head(columns))
  let sequence = 3 + columns
  endlessly(socket, () => Buffer.concat(Array.from({ length: 200 }, () => row(sequence++, columns))))
}

/** A new result set each time, its column named otherwise: nothing that was cached fits. */
function namesFor(socket: Socket, columns: number): void {
  let sequence = 1
  endlessly(socket, (count) =>
    Buffer.concat([
      packet(sequence++, Buffer.from([columns])),
      ...Array.from({ length: columns }, (_, index) => columnPacket(sequence++, `n${count}_${index}`)),
      eof(sequence++),
      eof(sequence++, 2 | 8),
    ]),
  )
}

export const hostileKinds = {
  'says nothing': { stage: 'greeting', act: () => undefined },
  'closes at once': { stage: 'greeting', act: (socket) => socket.destroy() },
  'greets with noise': {
    stage: 'greeting',
    act: (socket) => socket.write(Buffer.from('\x07\x00\x00\x00\x0a\xff\xfe')),
  },
  'greets as a web server': { stage: 'greeting', act: (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhello') },
  'greets with a packet of 16 MiB': {
    stage: 'greeting',
    act: (socket) => {
      socket.write(Buffer.from([0xff, 0xff, 0xff, 0]))
      endlessly(socket, () => chunk)
    },
  },
  'greets byte by byte': { stage: 'greeting', act: (socket) => drip(socket, greeting('11.8.0', 1)) },
  'floods before the greeting': { stage: 'greeting', act: (socket) => endlessly(socket, () => chunk) },
  'greets in an unknown protocol': {
    stage: 'greeting',
    act: (socket) => socket.write(packet(0, Buffer.from([99, 0]))),
  },
  'greets with an empty packet': { stage: 'greeting', act: (socket) => socket.write(packet(0, Buffer.alloc(0))) },
  'greets with a cut packet': {
    stage: 'greeting',
    act: (socket) => socket.write(greeting('11.8.0', 1).subarray(0, 20)),
  },
  'asks for the password in clear': {
    stage: 'login',
    act: (socket) => socket.write(authSwitch('mysql_clear_password')),
  },
  'offers a key of its own (caching_sha2_password)': {
    stage: 'login',
    act: (socket) => {
      socket.write(authSwitch('caching_sha2_password'))
      socket.once('data', () => {
        socket.write(packet(4, Buffer.from([1, 4])))
        socket.once('data', () => socket.write(packet(6, Buffer.concat([Buffer.from([1]), Buffer.from(ownKey)]))))
      })
    },
  },
  'offers a key of its own (sha256_password)': {
    stage: 'login',
    act: (socket) => {
      socket.write(authSwitch('sha256_password'))
      socket.once('data', () => socket.write(packet(4, Buffer.concat([Buffer.from([1]), Buffer.from(ownKey)]))))
    },
  },
  'asks for an unknown plugin': { stage: 'login', act: (socket) => socket.write(authSwitch('toString')) },
  'never ends the login': { stage: 'login', act: () => undefined },
  'asks for another plugin without end': {
    stage: 'login',
    act: (socket) => endlessly(socket, () => authSwitch('mysql_native_password')),
  },
  'answers the login with noise': { stage: 'login', act: (socket) => socket.write(packet(2, Buffer.from([0x01]))) },
  'sends rows without end': { stage: 'reply', act: (socket) => rowsFor(socket, 1) },
  'sends wide rows without end': { stage: 'reply', act: (socket) => rowsFor(socket, 200) },
  'sends 40 MiB of rows and waits': {
    stage: 'reply',
    act: (socket) => {
      socket.write(head(1))
      let sequence = 4
      for (let count = 0; count < 640; count += 1) socket.write(packet(sequence++, longRow))
    },
  },
  'sends results without end': { stage: 'reply', act: (socket) => namesFor(socket, 1) },
  'sends new columns without end': { stage: 'reply', act: (socket) => namesFor(socket, 100) },
  'sends a packet without end': {
    stage: 'reply',
    act: (socket) => {
      socket.write(Buffer.concat([head(1), Buffer.from([0xff, 0xff, 0xff, 4])]))
      endlessly(socket, () => chunk)
    },
  },
  'announces 65,535 columns': {
    stage: 'reply',
    act: (socket) => socket.write(packet(1, Buffer.from([0xfc, 255, 255]))),
  },
  'announces endless columns': {
    stage: 'reply',
    act: (socket) => socket.write(packet(1, Buffer.from([0xfe, 255, 255, 255, 255, 255, 255, 255, 255]))),
  },
  'sends rows byte by byte': {
    stage: 'reply',
    act: (socket) => {
      socket.write(head(1))
      drip(socket, row(4))
    },
  },
  'never answers': { stage: 'reply', act: () => undefined },
  'numbers its packets wrongly': {
    stage: 'reply',
    act: (socket) => socket.write(packet(77, Buffer.from([0, 0, 0, 2, 0, 0, 0]))),
  },
  'asks for a file': {
    stage: 'reply',
    act: (socket) => socket.write(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1'))),
  },
  'cuts its answer': { stage: 'reply', act: (socket) => socket.end(head(1).subarray(0, 30)) },
  'sends cells longer than their row': {
    stage: 'reply',
    act: (socket) => socket.write(Buffer.concat([head(1), packet(4, Buffer.from([0xfd, 255, 255, 255])), eof(5)])),
  },
  'sends a cut error': { stage: 'reply', act: (socket) => socket.write(packet(1, Buffer.from([0xff]))) },
  'answers and floods on': {
    stage: 'reply',
    act: (socket) => {
      socket.write(okPacket(1))
      endlessly(socket, () => chunk)
    },
  },
} as const satisfies Readonly<Record<string, Kind>>

export type HostileKind = keyof typeof hostileKinds

export interface HostileServer {
  readonly port: number
  /** Everything that clients sent after the greeting. */
  received(): Buffer
  /** Connections that were made. */
  connections(): number
  close(): Promise<void>
}

export async function startHostileServer(kind: HostileKind): Promise<HostileServer> {
  const { stage, act } = hostileKinds[kind] as Kind
  const sockets = new Set<Socket>()
  const seen: Buffer[] = []
  let count = 0
  const server = net.createServer((socket) => {
    count += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => seen.push(bytes))
    if (stage === 'greeting') return act(socket)
    socket.write(greeting('11.8.0-MariaDB', count))
    socket.once('data', () => {
      if (stage === 'login') return act(socket)
      socket.write(okPacket(2))
      socket.once('data', () => act(socket))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    received: () => Buffer.concat(seen),
    connections: () => count,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** What a server reads of a password that is sealed for its own key. */
export const ownPrivateKey = own.privateKey
