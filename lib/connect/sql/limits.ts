// Limits on the data that a server may send: counted on the bytes as they arrive, before any is stored or parsed.

export interface SqlLimits {
  /** Of one packet, bytes; a row is one packet. */
  readonly packetBytes: number
  /** Of one result; MariaDB and MySQL allow 4,096. */
  readonly columns: number
  /** Of one reply: a result costs some fifty microseconds, however empty it is. */
  readonly results: number
  /** Rows of all results of one reply together; a result without rows counts as one. */
  readonly rows: number
  /** Rows times columns of one reply: a cell without a value takes one byte on the wire and eight in memory. */
  readonly cells: number
  /** Of one reply, protocol overhead included. */
  readonly replyBytes: number
  /** Of the replies that all sessions of one server on a thread read at once, in memory (`ReplyGuard.held`). */
  readonly serverBytes: number
  /** Of one packet until the end of the login: a longer one is not the greeting of a database. */
  readonly loginPacketBytes: number
  /** Until the end of the login; a login takes six at most. Each may ask for a hash of the password. */
  readonly loginPackets: number
  /** Of everything that arrives until the end of the login, TLS certificates included. */
  readonly loginBytes: number
}

const MIB = 1_048_576

export const sqlLimits: SqlLimits = {
  packetBytes: 32 * MIB,
  columns: 4_096,
  results: 1_000,
  rows: 500_000,
  cells: 4_000_000,
  replyBytes: 48 * MIB,
  // More than two of the longest replies as they are on the wire; one that has the most rows and values at once is too long for it.
  serverBytes: 128 * MIB,
  loginPacketBytes: 65_536,
  loginPackets: 24,
  loginBytes: 262_144,
}

/** Of probes, which every server is sent all the time: so much of each may be held at once. Lists of variables are 0.1 MiB. */
export const probeLimits: SqlLimits = {
  ...sqlLimits,
  ...{ packetBytes: 4 * MIB, columns: 1_024, results: 64, rows: 50_000, cells: 500_000, replyBytes: 8 * MIB },
}

/** What a row and a value of a few characters take in memory beside their bytes. */
const rowTakes = 48
const cellTakes = 32

const OK = 0x00
const ERROR = 0xff
const END = 0xfe
const LOCAL_FILE = 0xfb
/** An end packet is shorter; a row may begin with the same byte. */
const longestEnd = 8
/** A payload of this length continues in the next packet. */
const longestPayload = 0xff_ffff
const headLength = 4
/** The part of a payload that is read: its first byte, or the number of columns. */
const longestBegin = 9

type Expected = 'login' | 'head' | 'column' | 'columns-end' | 'row'

/**
 * Follows the packets of one session and reports the first exceeded limit. Stores at most 13 bytes of its input.
 * https://mariadb.com/kb/en/result-set-packets/
 */
export class ReplyGuard {
  readonly #limits: SqlLimits
  #expected: Expected = 'login'
  #bytes = 0
  #results = 0
  #loginPackets = 0
  #rows = 0
  #cells = 0
  #columns = 0
  #columnsLeft = 0
  /** Of the next packet of the reply; the first one follows the packets of the statement. */
  #sequence: number | undefined
  readonly #head = Buffer.alloc(headLength)
  #headRead = 0
  /** Payload that has not arrived yet. */
  #payloadLeft = 0
  /** Length of the payload so far, over all packets that it is split into. */
  #length = 0
  #continues = false
  readonly #begin = Buffer.alloc(longestBegin)
  #beginRead = 0

  constructor(limits: SqlLimits = sqlLimits) {
    this.#limits = limits
  }

  /** What the reply takes in memory so far, bytes. */
  get held(): number {
    return this.#bytes + this.#rows * rowTakes + this.#cells * cellTakes
  }

  /** A statement is sent: data arriving from now on is its reply. */
  expectReply(): void {
    this.#expected = 'head'
    this.#bytes = 0
    this.#results = 0
    this.#rows = 0
    this.#cells = 0
    this.#sequence = undefined
  }

  /** Bytes that arrive. Returns the exceeded limit; the session must be closed then. */
  take(chunk: Buffer): string | undefined {
    this.#bytes += chunk.length
    const broken = this.judgeBytes(this.#bytes)
    if (broken !== undefined) return broken
    let at = 0
    while (at < chunk.length) {
      const whole = this.#takeWhole(chunk, at)
      if (typeof whole === 'string') return whole
      at = whole
      if (at === chunk.length) break
      if (this.#headRead < headLength) {
        this.#head[this.#headRead++] = chunk[at++] ?? 0
        if (this.#headRead < headLength) continue
        const reason = this.#startPacket()
        if (reason !== undefined) return reason
      } else at += this.#readPayload(chunk, at)
      if (this.#headRead === headLength && this.#payloadLeft === 0) {
        const reason = this.#endPacket()
        if (reason !== undefined) return reason
      }
    }
    return undefined
  }

  /** For bytes that are only counted (TLS): since the statement was sent, or since the connection was opened. */
  judgeBytes(bytes: number): string | undefined {
    const { loginBytes, replyBytes } = this.#limits
    if (this.#expected === 'login')
      return bytes > loginBytes ? `more than ${loginBytes} bytes before the login was done` : undefined
    return bytes > replyBytes ? `reply longer than ${replyBytes} bytes` : undefined
  }

  /**
   * Processes complete columns and rows (most packets) without copying. Returns where
   * the first packet starts that is left to the slow path, or the exceeded limit.
   */
  #takeWhole(chunk: Buffer, from: number): number | string {
    let at = from
    if (this.#headRead > 0 || this.#length > 0) return at
    const most = Math.min(this.#limits.packetBytes, longestPayload - 1)
    while (at + headLength <= chunk.length && this.#expected !== 'head' && this.#expected !== 'login') {
      const length = (chunk[at] ?? 0) | ((chunk[at + 1] ?? 0) << 8) | ((chunk[at + 2] ?? 0) << 16)
      const next = at + headLength + length
      if (length > most || next > chunk.length) break
      const first = length === 0 ? OK : (chunk[at + headLength] ?? OK)
      const reason = this.#judgeSequence(first, chunk[at + 3] ?? 0) ?? this.#judgePacket(first, length)
      if (reason !== undefined) return reason
      at = next
    }
    return at
  }

  #startPacket(): string | undefined {
    const length = this.#head.readUIntLE(0, 3)
    this.#payloadLeft = length
    this.#length += length
    this.#continues = length === longestPayload
    if (this.#expected === 'login')
      return this.#length > this.#limits.loginPacketBytes ? 'no greeting of a database server' : undefined
    return this.#length > this.#limits.packetBytes ? `packet longer than ${this.#limits.packetBytes} bytes` : undefined
  }

  /** Returns the number of bytes consumed. */
  #readPayload(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#payloadLeft, chunk.length - at)
    for (let index = at; index < at + taken && this.#beginRead < longestBegin; index += 1)
      this.#begin[this.#beginRead++] = chunk[index] ?? 0
    this.#payloadLeft -= taken
    return taken
  }

  #endPacket(): string | undefined {
    const first = this.#beginRead === 0 ? OK : (this.#begin[0] ?? OK)
    this.#headRead = 0
    const reason = this.#judgeSequence(first, this.#head[3] ?? 0)
    if (reason !== undefined || this.#continues) return reason
    const length = this.#length
    this.#length = 0
    this.#beginRead = 0
    return this.#judgePacket(first, length)
  }

  /** An error may arrive unrequested after the reply: a server that ends the session numbers it from 0. */
  #judgeSequence(first: number, sequence: number): string | undefined {
    if (this.#expected === 'login') return undefined
    const expected = this.#sequence ?? sequence
    this.#sequence = (expected + 1) & 0xff
    if (sequence === expected || first === ERROR) return undefined
    return `packet ${sequence} instead of packet ${expected} of the reply`
  }

  #judgePacket(first: number, length: number): string | undefined {
    switch (this.#expected) {
      case 'login':
        return this.#countLogin()
      case 'head':
        return this.#judgeHead(first)
      case 'column':
        this.#columnsLeft -= 1
        if (this.#columnsLeft === 0) this.#expected = 'columns-end'
        return undefined
      case 'columns-end':
        this.#expected = 'row'
        return undefined
      case 'row':
        if (first !== ERROR && (first !== END || length > longestEnd)) return this.#countRow(this.#columns)
        this.#expected = 'head'
        return undefined
    }
  }

  #judgeHead(first: number): string | undefined {
    if (first === ERROR) return undefined
    if (first === LOCAL_FILE) return 'request for a local file'
    this.#results += 1
    if (this.#results > this.#limits.results) return `reply of more than ${this.#limits.results} results`
    if (first === OK) return this.#countRow(0)
    this.#columns = lengthOf(this.#begin)
    this.#columnsLeft = this.#columns
    this.#expected = 'column'
    const { columns } = this.#limits
    if (this.#columns > columns) return `result of ${this.#columns} columns, more than ${columns}`
    return this.#countRow(0)
  }

  #countLogin(): string | undefined {
    this.#loginPackets += 1
    const { loginPackets } = this.#limits
    return this.#loginPackets > loginPackets ? `more than ${loginPackets} packets before the login was done` : undefined
  }

  #countRow(cells: number): string | undefined {
    this.#rows += 1
    this.#cells += cells
    if (this.#rows > this.#limits.rows) return `reply of more than ${this.#limits.rows} rows`
    return this.#cells > this.#limits.cells ? `reply of more than ${this.#limits.cells} values` : undefined
  }
}

/** A length-encoded number at the beginning of `bytes`. */
function lengthOf(bytes: Buffer): number {
  const first = bytes[0] ?? 0
  if (first < LOCAL_FILE) return first
  if (first === 0xfc) return bytes.readUInt16LE(1)
  return first === 0xfd ? bytes.readUIntLE(1, 3) : Number(bytes.readBigUInt64LE(1))
}
