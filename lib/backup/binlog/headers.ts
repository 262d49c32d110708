// Reads what an index needs from the bytes of a binary log as they arrive: event headers, GTIDs, the end of transactions.
// Rows are not decoded. https://mariadb.com/kb/en/2-binlog-event-header/
import type { Flavour } from '../../model/server/version.js'

/** The bytes before the first event of a file. */
export const magic = Buffer.from([0xfe, 0x62, 0x69, 0x6e])
export const headerLength = 19

const types = {
  query: 2,
  stop: 3,
  rotate: 4,
  format: 15,
  xid: 16,
  heartbeat: 27,
  mysqlGtid: 33,
  anonymous: 34,
  previousGtids: 35,
  xaPrepare: 38,
  payload: 40,
  heartbeat2: 41,
  mysqlTaggedGtid: 42,
  mariadbGtid: 162,
  gtidList: 163,
  queryCompressed: 165,
} as const

const ARTIFICIAL = 0x20
const STANDALONE = 0x01

export interface EventHeader {
  /** Seconds since the epoch. */
  readonly time: number
  readonly type: number
  readonly serverId: number
  /** Bytes, the header included. */
  readonly size: number
  /** End of the event in the file modulo 2^32; 0 for one that is not in the file. */
  readonly end: number
  readonly flags: number
}

export const parseHeader = (bytes: Buffer): EventHeader => ({
  time: bytes.readUInt32LE(0),
  type: bytes[4] ?? 0,
  serverId: bytes.readUInt32LE(5),
  size: bytes.readUInt32LE(9),
  end: bytes.readUInt32LE(13),
  flags: bytes.readUInt16LE(17),
})

/** Sent by the server to one reader: not a part of the file. */
export const isArtificial = ({ flags, type, end }: EventHeader): boolean =>
  (flags & ARTIFICIAL) !== 0 || type === types.heartbeat || type === types.heartbeat2 || end === 0

export const isHeartbeat = ({ type }: EventHeader): boolean => type === types.heartbeat || type === types.heartbeat2

/** The first event of every file; its time is when the file was created. */
export const isFormat = ({ type }: EventHeader): boolean => type === types.format

/** The file that a rotate event names, its own checksum removed. */
export function rotatesTo(header: EventHeader, event: Buffer, checksum: boolean): string | undefined {
  if (header.type !== types.rotate) return undefined
  return event.toString('utf8', headerLength + 8, event.length - (checksum ? 4 : 0))
}

/** Whether a format description says that events end with a checksum. */
export function hasChecksum(header: EventHeader, event: Buffer): boolean | undefined {
  if (header.type !== types.format) return undefined
  // The last byte before its own checksum names the algorithm; every server of today writes both.
  return event[event.length - 5] === 1
}

export interface ScannedTransaction {
  readonly gtid: string
  /** Seconds since the epoch, when the event was written. */
  readonly time: number
  /** Offset of its GTID event, and the end of its last event. */
  readonly offset: number
  readonly end: number
}

type Phase = 'outside' | 'alone' | 'first' | 'inside'

/** Follows the events of one file in order. */
export class LogScanner {
  readonly #flavour: Flavour
  #checksum = false
  #phase: Phase = 'outside'
  #gtid: { readonly gtid: string; readonly time: number; readonly offset: number } | undefined
  /** The transactions that precede the file, as the server lists them; undefined until its list was read. */
  previous: string | undefined
  /** The file that follows, once this one is closed. */
  next: string | undefined
  closed = false
  /** End of the last event, and of the last event that ended a transaction or stands outside of one. */
  offset: number = magic.length
  settled: number = magic.length
  firstTime = 0
  lastTime = 0

  constructor(flavour: Flavour) {
    this.#flavour = flavour
  }

  get checksum(): boolean {
    return this.#checksum
  }

  /** Takes the next event, all of its bytes; answers the transaction that it ends. */
  take(event: Buffer): ScannedTransaction | undefined {
    const header = parseHeader(event)
    const from = this.offset
    this.offset += event.length
    if (header.time > 0) {
      if (this.firstTime === 0) this.firstTime = header.time
      this.lastTime = Math.max(this.lastTime, header.time)
    }
    this.#checksum = hasChecksum(header, event) ?? this.#checksum
    const body = event.subarray(headerLength, event.length - (this.#checksum ? 4 : 0))
    const ended = this.#follow(header, body, from)
    if (this.#phase === 'outside') this.settled = this.offset
    return ended
  }

  #follow(header: EventHeader, body: Buffer, from: number): ScannedTransaction | undefined {
    switch (header.type) {
      case types.gtidList:
        this.previous = parseGtidList(body)
        return undefined
      case types.previousGtids:
        this.previous = parsePreviousGtids(body)
        return undefined
      case types.mariadbGtid:
        return this.#begin(parseMariadbGtid(header, body), header.time, from)
      case types.mysqlGtid:
      case types.mysqlTaggedGtid:
      case types.anonymous:
        return this.#begin({ gtid: parseMysqlGtid(header, body), alone: false }, header.time, from)
      case types.rotate:
      case types.stop:
        this.closed = true
        this.next = header.type === types.rotate ? body.toString('utf8', 8) : undefined
        return undefined
      case types.xid:
      case types.xaPrepare:
      case types.payload:
        return this.#end()
      case types.query:
      case types.queryCompressed:
        return this.#query(header, body)
      default:
        return undefined
    }
  }

  #begin(begun: { readonly gtid: string; readonly alone: boolean }, time: number, offset: number): undefined {
    this.#gtid = { gtid: begun.gtid, time, offset }
    this.#phase = begun.alone ? 'alone' : this.#flavour === 'mariadb' ? 'inside' : 'first'
  }

  /** A statement ends a transaction that consists of it alone, or one that it commits. */
  #query({ type }: EventHeader, body: Buffer): ScannedTransaction | undefined {
    if (this.#phase === 'alone') return this.#end()
    if (this.#phase === 'outside' || type === types.queryCompressed) return undefined
    const text = statementOf(body)
    if (this.#phase === 'first' && !/^(?:BEGIN|XA START)/i.test(text)) return this.#end()
    this.#phase = 'inside'
    return /^(?:COMMIT|ROLLBACK)$/i.test(text) ? this.#end() : undefined
  }

  #end(): ScannedTransaction | undefined {
    const begun = this.#gtid
    this.#gtid = undefined
    this.#phase = 'outside'
    return begun && { ...begun, end: this.offset }
  }
}

function statementOf(body: Buffer): string {
  const schemaLength = body[8] ?? 0
  const statusLength = body.readUInt16LE(11)
  const at = 13 + statusLength + schemaLength + 1
  return body.toString('latin1', at, Math.min(body.length, at + 20))
}

function parseMariadbGtid(header: EventHeader, body: Buffer): { readonly gtid: string; readonly alone: boolean } {
  const gtid = `${body.readUInt32LE(8)}-${header.serverId}-${body.readBigUInt64LE(0)}`
  return { gtid, alone: ((body[12] ?? 0) & STANDALONE) !== 0 }
}

function parseGtidList(body: Buffer): string {
  const count = body.readUInt32LE(0) & 0x0fff_ffff
  const gtids = Array.from({ length: count }, (_, index) => {
    const at = 4 + index * 16
    return `${body.readUInt32LE(at)}-${body.readUInt32LE(at + 4)}-${body.readBigUInt64LE(at + 8)}`
  })
  return gtids.join(',')
}

function parseMysqlGtid({ type }: EventHeader, body: Buffer): string {
  if (type === types.anonymous) return ''
  if (type === types.mysqlTaggedGtid) return parseTagged(body)
  return `${uuidAt(body, 1)}:${body.readBigInt64LE(17)}`
}

/** MySQL 8.3 and later, of GTIDs with a tag: fields by number, lengths in the first byte's low bits. */
function parseTagged(body: Buffer): string {
  const reader = new FieldReader(body)
  reader.number() // version of the format
  reader.number() // size of the message
  reader.number() // last field that must be known
  let [uuid, number, tag] = ['', 0, '']
  for (let field = reader.number(); field <= 3 && !reader.over; field = reader.number()) {
    if (field === 0) reader.number()
    else if (field === 1)
      uuid = Array.from({ length: 16 }, () => reader.number().toString(16).padStart(2, '0')).join('')
    else if (field === 2) number = reader.signed()
    else tag = reader.text()
  }
  const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return `${dashed}:${tag === '' ? '' : `${tag}:`}${number}`
}

class FieldReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get over(): boolean {
    return this.#at >= this.#bytes.length
  }

  number(): number {
    const first = this.#bytes[this.#at] ?? 0
    let length = 1
    while (length < 9 && (first & (1 << (length - 1))) !== 0) length += 1
    let value = 0n
    for (let index = length - 1; index >= 0; index -= 1)
      value = (value << 8n) | BigInt(this.#bytes[this.#at + index] ?? 0)
    this.#at += length
    return Number(value >> BigInt(length))
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(): string {
    const length = this.number()
    const text = this.#bytes.toString('latin1', this.#at, this.#at + length)
    this.#at += length
    return text
  }
}

function parsePreviousGtids(body: Buffer): string {
  // The high byte of the count marks the form with tags.
  const head = body.readBigUInt64LE(0)
  const tagged = head >> 56n === 1n
  const count = Number(tagged ? (head >> 8n) & 0xffff_ffff_ffffn : head)
  let at = 8
  const sets: string[] = []
  for (let index = 0; index < count; index += 1) {
    let name = uuidAt(body, at)
    at += 16
    if (tagged) {
      const length = (body[at] ?? 0) >> 1
      if (length > 0) name += `:${body.toString('latin1', at + 1, at + 1 + length)}`
      at += 1 + length
    }
    const intervals = Number(body.readBigUInt64LE(at))
    at += 8
    const parts = Array.from({ length: intervals }, (_, each) => {
      const [first, after] = [body.readBigUInt64LE(at + each * 16), body.readBigUInt64LE(at + each * 16 + 8)]
      return after === first + 1n ? `${first}` : `${first}-${after - 1n}`
    })
    at += intervals * 16
    sets.push([name, ...parts].join(':'))
  }
  return sets.join(',')
}

const uuidAt = (bytes: Buffer, at: number): string =>
  bytes.toString('hex', at, at + 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
