// Packets of the MySQL wire in the bytes that have arrived: length (3 bytes), sequence number, payload.
// https://mariadb.com/kb/en/0-packet/

/** The payload is the range from `start` to `end`; it is not copied, since most packets are read once. */
export interface WirePacket {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  /** Start of the next packet. */
  readonly next: number
}

const headLength = 4
/** A payload of this length goes on in the next packet. */
const longest = 0xff_ffff

/** The packet at `from`; undefined while bytes of it are missing. */
export function packetAt(bytes: Buffer, from: number): WirePacket | undefined {
  const start = from + headLength
  if (bytes.length < start) return undefined
  const length = bytes.readUIntLE(from, 3)
  const end = start + length
  if (bytes.length < end) return undefined
  if (length < longest) return { bytes, start, end, next: end }
  const rest = packetAt(bytes, end)
  if (!rest) return undefined
  const joined = Buffer.concat([bytes.subarray(start, end), rest.bytes.subarray(rest.start, rest.end)])
  return { bytes: joined, start: 0, end: joined.length, next: rest.next }
}

/** Bytes required for the packet at `from`, as far as its header shows. */
export const wantedAt = (bytes: Buffer, from: number): number =>
  bytes.length < from + headLength ? headLength : headLength + bytes.readUIntLE(from, 3)

/** A length-encoded number and the start of the bytes after it. */
export function lengthAt(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  const first = bytes[at] ?? 0
  if (first < 0xfb) return { value: first, next: at + 1 }
  if (first === 0xfc) return { value: bytes.readUInt16LE(at + 1), next: at + 3 }
  if (first === 0xfd) return { value: bytes.readUIntLE(at + 1, 3), next: at + 4 }
  return { value: Number(bytes.readBigUInt64LE(at + 1)), next: at + 9 }
}

/** COM_QUIT: the server closes the session without a reply. */
export const quitPacket = Buffer.from([1, 0, 0, 0, 1])

/** Cache of frequent texts as packets; maximum number. */
const packets = new Map<string, Buffer>()
const mostPackets = 50

/** The cached packet of a frequent text. */
export function packetOf(sql: string): Buffer {
  const known = packets.get(sql)
  if (known) return known
  const packet = queryPacket(sql)
  if (packets.size < mostPackets) packets.set(sql, packet)
  return packet
}

/** A query as one packet, or several when it is very long. */
function queryPacket(sql: string): Buffer {
  const payload = Buffer.allocUnsafe(1 + Buffer.byteLength(sql))
  payload[0] = 0x03
  payload.write(sql, 1)
  const packets: Buffer[] = []
  for (let from = 0; from <= payload.length; from += longest) {
    const piece = payload.subarray(from, from + longest)
    const head = Buffer.allocUnsafe(headLength)
    head.writeUIntLE(piece.length, 0, 3)
    head[3] = (from / longest) & 0xff
    packets.push(head, piece)
  }
  return Buffer.concat(packets)
}
