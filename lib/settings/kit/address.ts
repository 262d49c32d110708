// Reads `host`, `host:port` and `[address]:port` as they stand in host lists.

const DATABASE_PORT = 3306

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** The parts of an address, brackets removed; undefined for text that is none. `port` fills in for a missing one. */
export function splitAddress(text: string, port = DATABASE_PORT): HostAndPort | undefined {
  const match = /^(?:\[([0-9a-fA-F:.%\w]+)\]|([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?\.?))(?::(\d{1,5}))?$/.exec(
    text.trim(),
  )
  const host = match?.[1] ?? match?.[2]
  const number = match?.[3] === undefined ? port : Number(match[3])
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number }
}
