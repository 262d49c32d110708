// The secrets of a browser's session: what is stored of them opens nothing without the one that the browser has.
import { createHash, createHmac, randomBytes } from 'node:crypto'

const BYTES = 32

export const newSecret = (): string => randomBytes(BYTES).toString('base64url')

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The key is the secret, which only the browser has: who reads the file cannot try passwords. */
export const checkOf = (secret: string, fingerprint: string | undefined): string =>
  fingerprint === undefined ? '' : createHmac('sha256', secret).update(fingerprint).digest('base64url')

/**
 * A secret that only the one before opens: two tabs that present that at once get the same one, at whichever instance. The
 * pad of a secret is used once, since a secret is replaced once.
 */
export const sealNext = (secret: string, next: string): string =>
  padded(secret, Buffer.from(next, 'base64url')).toString('base64url')

/** Undefined unless it is the secret of this hash. */
export function openNext(secret: string, sealed: string | undefined, hash: string): string | undefined {
  if (sealed === undefined) return undefined
  const next = padded(secret, Buffer.from(sealed, 'base64url')).toString('base64url')
  return hashOf(next) === hash ? next : undefined
}

function padded(secret: string, bytes: Buffer): Buffer {
  const pad = createHmac('sha256', secret).update('the next secret').digest()
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index] ?? 0)))
}
