// The host keys that are trusted: read from a file in OpenSSH's known_hosts format, added to on first use when allowed.
import { createHash, createHmac } from 'node:crypto'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'

export interface SshAddress {
  readonly host: string
  readonly port: number
}

/** `changed`: the host is listed with another key; `revoked`: the key is marked so; `unknown`: the host is not listed. */
export type HostKeyVerdict = 'trusted' | 'changed' | 'revoked' | 'unknown'

interface Line {
  readonly patterns: readonly string[]
  readonly type: string
  readonly key: string
  readonly revoked: boolean
}

export class KnownHosts {
  readonly file: string
  #writing: Promise<unknown> = Promise.resolve()

  constructor(file: string) {
    this.file = file
  }

  /** Verdict on a key blob that `address` presents; a missing file lists no host. Read each time, since users edit the file. */
  async judge(address: SshAddress, blob: Buffer): Promise<HostKeyVerdict> {
    await this.#writing
    const lines = await this.#lines(address)
    const key = blob.toString('base64')
    if (lines.some((line) => line.revoked && line.key === key)) return 'revoked'
    const valid = lines.filter(({ revoked }) => !revoked)
    if (valid.length === 0) return 'unknown'
    return valid.some((line) => line.key === key) ? 'trusted' : 'changed'
  }

  /** The key types listed for the host: only these are negotiated, as OpenSSH does. */
  async types(address: SshAddress): Promise<readonly string[]> {
    await this.#writing
    return [...new Set((await this.#lines(address)).filter(({ revoked }) => !revoked).map(({ type }) => type))]
  }

  /** Appends a line for a host that was seen for the first time. */
  add(address: SshAddress, blob: Buffer): Promise<void> {
    const line = `${nameOf(address)} ${keyType(blob)} ${blob.toString('base64')}\n`
    const next = this.#writing.then(async () => {
      await mkdir(path.dirname(this.file), { recursive: true, mode: modeOf('scratch') })
      await appendFile(this.file, line, { mode: modeOf('state') })
    })
    this.#writing = next.catch(() => undefined)
    return next
  }

  async #lines(address: SshAddress): Promise<readonly Line[]> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    })
    const names = address.port === 22 ? [address.host, nameOf(address)] : [nameOf(address)]
    return text
      .split('\n')
      .flatMap(parseLine)
      .filter(({ patterns }) => names.some((name) => matches(patterns, name)))
  }
}

/** `host`, or `[host]:port` for a non-default port. */
const nameOf = ({ host, port }: SshAddress): string => (port === 22 ? host : `[${host}]:${port}`)

/** The type is at the start of a key blob: four bytes of length, then its name. */
export function keyType(blob: Buffer): string {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0
  return blob.toString('latin1', 4, 4 + length)
}

/** `SHA256:…` as ssh-keygen prints it. */
export const fingerprint = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

function parseLine(text: string): Line[] {
  const words = text.trim().split(/\s+/)
  if (words[0] === '' || words[0]?.startsWith('#')) return []
  const marker = words[0]?.startsWith('@') ? words.shift() : undefined
  const [patterns, type, key] = words
  // Lines of certificate authorities are skipped; only host keys are compared.
  if (marker === '@cert-authority' || patterns === undefined || type === undefined || key === undefined) return []
  return [{ patterns: patterns.split(','), type, key, revoked: marker === '@revoked' }]
}

function matches(patterns: readonly string[], name: string): boolean {
  const hits = (pattern: string): boolean =>
    pattern.startsWith('|1|') ? isHashOf(pattern, name) : wildcard(pattern).test(name)
  if (patterns.some((pattern) => pattern.startsWith('!') && hits(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && hits(pattern))
}

/** `|1|salt|hash`: HMAC-SHA1 of the name, so that the file does not reveal host names. */
function isHashOf(pattern: string, name: string): boolean {
  const [, , salt = '', hash = ''] = pattern.split('|')
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
}

const wildcard = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    'i',
  )
