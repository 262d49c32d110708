// The id of a server: `db` and the decimal CRC-64 (ECMA-182, reflected) of cluster name and address.

const POLYNOMIAL = 0xc96c5795d7870f42n
const MASK = 0xffffffffffffffffn

const table: readonly bigint[] = Array.from({ length: 256 }, (_, byte) => {
  let crc = BigInt(byte)
  for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ POLYNOMIAL : crc >> 1n
  return crc
})

/** CRC-64/GO-ECMA of UTF-8 text: initial value and final xor all ones. */
export function crc64(text: string): bigint {
  let crc = MASK
  for (const byte of Buffer.from(text, 'utf8')) crc = (table[Number((crc ^ BigInt(byte)) & 0xffn)] ?? 0n) ^ (crc >> 8n)
  return crc ^ MASK
}

export const serverId = (cluster: string, address: string): string => `db${crc64(`${cluster}${address}`)}`

/** The `server_id` of the generated configuration: eight digits of the id, never zero. */
export const serverNumber = (id: string): number => Number(id.slice(2, 10)) || 1
