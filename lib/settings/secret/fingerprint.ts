// Detects whether a secret is the one of before without keeping it: a keyed digest, or a slow one where there is no key.
import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { reveal, type Secret } from '../../base/secret.js'

/** node:crypto's defaults (N 16384, r 8, p 1): some 50 ms and 16 MB for each guess. */
const derive = promisify<string, Buffer, number, Buffer>(scrypt)

const SALT_BYTES = 16
const DIGEST_BYTES = 32

/** `hmac:` or `scrypt:`, salt and digest in base64: the secret cannot be read without the key, or without guessing. */
export async function fingerprint(
  value: Secret,
  key: Secret | undefined,
  salt: Buffer = randomBytes(SALT_BYTES),
): Promise<string> {
  const digest = key ? keyedDigest(value, key, salt) : await derive(reveal(value), salt, DIGEST_BYTES)
  return [key ? 'hmac' : 'scrypt', salt.toString('base64'), digest.toString('base64')].join(':')
}

/** False as well for a text that is no fingerprint, and for a keyed one without its key. */
export async function isFingerprintOf(text: string, value: Secret, key: Secret | undefined): Promise<boolean> {
  const [kind, salt = '', digest = ''] = text.split(':')
  if (kind !== 'scrypt' && (kind !== 'hmac' || !key)) return false
  const again = await fingerprint(value, kind === 'hmac' ? key : undefined, Buffer.from(salt, 'base64'))
  const [wanted, found] = [digest, again.split(':')[2] ?? ''].map((base64) => Buffer.from(base64, 'base64'))
  return wanted?.length === DIGEST_BYTES && found?.length === DIGEST_BYTES && timingSafeEqual(wanted, found)
}

/** The key encrypts elsewhere: digests are made with one that is derived from it. */
function keyedDigest(value: Secret, key: Secret, salt: Buffer): Buffer {
  const own = createHmac('sha256', Buffer.from(reveal(key), 'base64'))
    .update('fingerprints')
    .digest()
  return createHmac('sha256', own).update(salt).update(reveal(value)).digest()
}
