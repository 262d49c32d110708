// The cipher by which scripts of hosts send lines: AES-256-CBC, the key of the password's SHA-256, the vector of its MD5. It
// proves that the sender knows the password; a token over TLS proves more, and is what the delivered script uses.
import { createDecipheriv, createHash } from 'node:crypto'
import { fail, ok, type Result } from '../../base/result.js'

/** Longest message, characters of base64. */
export const LONGEST_DATA = 512 * 1024

export interface SealedLine {
  /** `host:port` as the script knows its server. */
  readonly server: string
  readonly log: string
  readonly level?: string
}

/** `undecodable` for what is no base64, `undecryptable` for another password or another content. */
export function openSealed(data: string, password: string): Result<readonly SealedLine[]> {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(data) || data.length > LONGEST_DATA)
    return fail('undecodable', `the data is no base64 of at most ${LONGEST_DATA} characters`)
  const text = decrypt(Buffer.from(data, 'base64'), password)
  if (text === undefined) return fail('undecryptable', 'the data was sealed with another password')
  const lines = parseLines(text)
  return lines ? ok(lines) : fail('undecryptable', 'the sealed text is no JSON with server and log')
}

function decrypt(bytes: Buffer, password: string): string | undefined {
  const key = createHash('sha256').update(password).digest()
  const vector = createHash('md5').update(password).digest()
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, vector)
    return Buffer.concat([decipher.update(bytes), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** One object a line; scripts pad the text by hand, so what follows the last brace of a line is dropped. */
function parseLines(text: string): readonly SealedLine[] | undefined {
  const parsed = text
    .split('\n')
    .map((line) => line.slice(0, line.lastIndexOf('}') + 1))
    .filter((line) => line !== '')
    .map(parseLine)
  return parsed.length === 0 || parsed.includes(undefined) ? undefined : parsed.filter((line) => line !== undefined)
}

function parseLine(text: string): SealedLine | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof SealedLine, unknown>>
    const { server, log, level } = value
    if (typeof server !== 'string' || typeof log !== 'string') return undefined
    return { server, log, ...(typeof level === 'string' ? { level } : {}) }
  } catch {
    return undefined
  }
}
