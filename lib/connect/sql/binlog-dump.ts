// Reads the binary log of a server as it is written, by the replication protocol: what a replica would read, as bytes.
// https://mariadb.com/kb/en/com_binlog_dump/
import { EventEmitter } from 'node:events'
import net from 'node:net'
import mysql, { type Connection } from 'mysql2'
import { done, fail, ok, type Result } from '../../base/result.js'
import { identify, type Rows } from '../../dialect/index.js'
import { judgeExpected } from './expected.js'
import { loginFailure, statementFailure } from './failures.js'
import { loginOptions } from './login-options.js'
import type { SqlTarget } from './session.js'
import { startSession } from './session-start.js'

export interface DumpRequest {
  readonly target: SqlTarget
  /** Where to begin: a file of the server, and the offset of an event in it, bytes. */
  readonly file: string
  readonly offset: number
  /** Unique among everything that reads this server's log: the server ends an earlier reader with the same one. */
  readonly serverId: number
  /** Statement that announces what the reader understands, and how often the server shows that it is alive. */
  readonly opening: string
  /** Longest silence of the server while nothing is written, milliseconds. */
  readonly heartbeatMs: number
  /** Of the request; 2 on MariaDB: with the statements that caused row events. */
  readonly flags: number
  /** Called with the bytes of each event, heartbeats included; they are valid during the call. */
  readonly onEvent: (event: Buffer) => void
}

export interface Dump {
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>
  close(): void
}

/** Silence for so many heartbeats ends it. */
const LOST_BEATS = 5
const COM_BINLOG_DUMP = 0x12
const END = 0xfe
const longestEnd = 9

/** Connects and begins to read. Failures as those of a session; `sql-failed` where the server refuses. */
export async function openBinlogDump(request: DumpRequest): Promise<Result<Dump>> {
  const { target } = request
  const { host, port, tls } = target
  const address = `${host}:${port}`
  if (tls?.unusable !== undefined) return fail('sql-rejected', `${address}: not connected: ${tls.unusable}`)
  const socket = net.connect({ host, port, noDelay: true, keepAlive: true })
  const connection = mysql.createConnection(loginOptions(target, socket))
  const timer = setTimeout(
    () => socket.destroy(new Error(`no login within ${target.connectTimeoutMs} ms`)),
    target.connectTimeoutMs,
  )
  try {
    const lost = new Promise<never>((_, reject) => {
      connection.on('error', reject)
      socket.on('error', reject)
      socket.once('close', () => reject(new Error('closed by the server')))
    })
    lost.catch(() => undefined)
    const login = new Promise<string>((resolve) =>
      connection.once('connect', (greeting: { serverVersion?: string }) => resolve(greeting.serverVersion ?? '')),
    )
    const version = await Promise.race([login, lost])
    const admitted = await Promise.race([begun(connection, version, request), lost])
    if (!admitted.ok) {
      connection.destroy()
      socket.destroy()
      return admitted
    }
    return ok(begin({ connection, socket, request, lost }))
  } catch (error) {
    connection.destroy()
    socket.destroy()
    return loginFailure(error, address)
  } finally {
    clearTimeout(timer)
  }
}

/** The log of another server is not read. */
async function begun(
  connection: Connection,
  version: string,
  { target: { host, port, expected }, opening }: DumpRequest,
): Promise<Result<void>> {
  const identifying = mysql.format(identify.sql, [...identify.values] as Parameters<typeof mysql.format>[1])
  const answer = await startSession(version, expected ? `${opening};${identifying}` : opening, (sql) =>
    connection
      .promise()
      .query(sql)
      .then(
        ([rows]) => ok(rows as readonly Rows[]),
        (error: unknown) => statementFailure(error, `${host}:${port}`),
      ),
  )
  if (!answer.ok) return answer
  return expected ? judgeExpected(answer.value, expected) : done
}

interface Parts {
  readonly connection: Connection
  readonly socket: net.Socket
  readonly request: DumpRequest
  readonly lost: Promise<never>
}

function begin({ connection, socket, request, lost }: Parts): Dump {
  const { heartbeatMs, onEvent } = request
  let end: (reason: string) => void = () => undefined
  let heardAt = performance.now()
  const watch = setInterval(() => {
    const silence = performance.now() - heardAt
    if (silence > heartbeatMs * LOST_BEATS) close(`silent for ${Math.round(silence)} ms`)
  }, heartbeatMs)
  const close = (reason: string) => {
    clearInterval(watch)
    connection.destroy()
    socket.destroy()
    end(reason)
  }
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  lost.catch((error: Error) => close(error.message))
  const command = new DumpCommand(request, (event) => {
    heardAt = performance.now()
    onEvent(event)
  })
  command.once('refused', close)
  ;(connection as unknown as { addCommand(command: DumpCommand): void }).addCommand(command)
  return { ended, close: () => close('closed by the manager') }
}

/** A packet as mysql2 passes it to a command. */
interface Packet {
  readonly buffer: Buffer
  readonly start: number
  readonly end: number
}

interface Writing {
  sequenceId: number
  write(bytes: Buffer): void
}

const packetHead = 4

/** mysql2 gives every packet to the command that is running; this one never ends. */
class DumpCommand extends EventEmitter {
  readonly #request: DumpRequest
  readonly #onEvent: (event: Buffer) => void

  constructor(request: DumpRequest, onEvent: (event: Buffer) => void) {
    super()
    this.#request = request
    this.#onEvent = onEvent
  }

  execute(packet: Packet | undefined, connection: Writing): boolean {
    if (!packet) {
      connection.write(dumpPacket(this.#request))
      connection.sequenceId = 1
      return false
    }
    const payload = packet.buffer.subarray(packet.start + packetHead, packet.end)
    const first = payload[0]
    if (first === 0) this.#onEvent(payload.subarray(1))
    else if (first === END && payload.length < longestEnd) this.emit('refused', 'the server has ended the log')
    else this.emit('refused', payload.toString('utf8', 9))
    return false
  }
}

/** Asks for the log from a position on, as the replica of this `server_id`. */
export function dumpPacket({ file, offset, serverId, flags }: DumpRequest): Buffer {
  const name = Buffer.from(file, 'utf8')
  const bytes = Buffer.alloc(packetHead + 11 + name.length)
  bytes.writeUIntLE(11 + name.length, 0, 3)
  bytes[packetHead] = COM_BINLOG_DUMP
  bytes.writeUInt32LE(offset, packetHead + 1)
  bytes.writeUInt16LE(flags, packetHead + 5)
  bytes.writeUInt32LE(serverId, packetHead + 7)
  name.copy(bytes, packetHead + 11)
  return bytes
}
