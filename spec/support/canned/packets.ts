// Writes the server's side of the MySQL protocol: greeting, OK, and result sets in the text form.
// https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html

type Values = Readonly<Record<string, unknown>>

/** PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, MULTI_STATEMENTS, MULTI_RESULTS, PLUGIN_AUTH, LONG_PASSWORD, CONNECT_WITH_DB. */
const capabilities = 0x0000_0200 | 0x2000 | 0x8000 | 0x1_0000 | 0x2_0000 | 0x8_0000 | 0x1 | 0x8
const autocommit = 0x0002
const moreResults = 0x0008
const utf8 = 45
const binary = 63
const bigint = 8
const text = 253

/** A packet: length, sequence number, payload. */
export function packet(sequence: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUIntLE(payload.length, 0, 3)
  head[3] = sequence & 0xff
  return Buffer.concat([head, payload])
}

/** What passwords are mixed with at the login. */
export const greetingSalt = Buffer.alloc(20, 'a')

export function greeting(version: string, threadId: number): Buffer {
  const fixed = Buffer.alloc(4 + 8 + 1 + 2 + 1 + 2 + 2 + 1 + 10)
  fixed.writeUInt32LE(threadId, 0)
  const salt = greetingSalt
  salt.copy(fixed, 4, 0, 8)
  fixed.writeUInt16LE(capabilities & 0xffff, 13)
  fixed[15] = utf8
  fixed.writeUInt16LE(autocommit, 16)
  fixed.writeUInt16LE(capabilities >>> 16, 18)
  fixed[20] = salt.length + 1
  const zero = Buffer.from([0])
  const plugin = Buffer.from('mysql_native_password\0')
  return packet(
    0,
    Buffer.concat([Buffer.from([10]), Buffer.from(`${version}\0`), fixed, salt.subarray(8), zero, plugin]),
  )
}

const okPayload = (more: boolean): Buffer => Buffer.from([0, 0, 0, autocommit | (more ? moreResults : 0), 0, 0, 0])

export const okPacket = (sequence: number): Buffer => packet(sequence, okPayload(false))

/** An error: its number, a SQL state of no meaning, its words. */
export function errorPacket(sequence: number, number: number, words: string): Buffer {
  const head = Buffer.from([0xff, number & 0xff, number >>> 8])
  return packet(sequence, Buffer.concat([head, Buffer.from('#28000'), Buffer.from(words)]))
}

/** The answer to one text: every result set after the other, undefined for a statement without rows. */
export function answer(results: readonly (readonly Values[] | undefined)[]): Buffer {
  const packets: Buffer[] = []
  const add = (payload: Buffer) => packets.push(packet(packets.length + 1, payload))
  results.forEach((rows, index) => {
    const more = index < results.length - 1
    if (rows === undefined) add(okPayload(more))
    else for (const payload of resultSet(rows, more)) add(payload)
  })
  return Buffer.concat(packets)
}

/** An empty list has one column that is not read: without rows its names are not known. */
function* resultSet(rows: readonly Values[], more: boolean): Generator<Buffer> {
  const names = Object.keys(rows[0] ?? { none: '' })
  yield length(names.length)
  for (const name of names) yield column(name, typeof rows[0]?.[name] === 'number' ? bigint : text)
  yield end(false)
  for (const row of rows) yield Buffer.concat(names.map((name) => cell(row[name])))
  yield end(more)
}

const end = (more: boolean): Buffer => Buffer.from([0xfe, 0, 0, autocommit | (more ? moreResults : 0), 0])

function column(name: string, type: number): Buffer {
  const fixed = Buffer.alloc(13)
  fixed[0] = 0x0c
  fixed.writeUInt16LE(type === bigint ? binary : utf8, 1)
  fixed.writeUInt32LE(1_024, 3)
  fixed[7] = type
  return Buffer.concat([cell('def'), cell(''), cell(''), cell(''), cell(name), cell(name), fixed])
}

function cell(value: unknown): Buffer {
  if (value === null || value === undefined) return Buffer.from([0xfb])
  const bytes = Buffer.from(String(value))
  return Buffer.concat([length(bytes.length), bytes])
}

function length(value: number): Buffer {
  if (value < 0xfb) return Buffer.from([value])
  return Buffer.from([0xfc, value & 0xff, value >>> 8])
}
