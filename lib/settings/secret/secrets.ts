// Secrets at rest: AES-256-GCM values in files, and the key file they are opened with; those of the existing system with its key.
import { isUtf8 } from 'node:buffer'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { isOwnersAlone, modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { reveal, type Secret, secret } from '../../base/secret.js'

const PREFIX = 'aes256gcm:'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The key file of the existing system: so many bytes, not as text. */
const KEPT_KEY_BYTES = 16
const KEPT_IV_BYTES = 16

/** What the existing system encrypted: a whole value, or the password of an account, of which a value may list several. */
const KEPT = /(^|:)hash_((?:[0-9a-f]{2}){16,})(?=,|$)/g

/** What this manager encrypted: a whole value, or the password of an account (`user:aes256gcm:…`), of which a value may list several. */
const SEALED = /(?<=^|,)([^:,]+:)?(aes256gcm:[^,]*)/g

/** Whether nothing secret is left in clear: the whole value is encrypted, or the password of every account in it. */
export const isEncrypted = (text: string): boolean => text.split(',').every((part) => /^([^:]+:)?aes256gcm:/.test(part))

/** Whether the value, or the password of an account in it, is encrypted. */
export const hasEncrypted = (text: string): boolean => text.search(SEALED) >= 0

/** Whether the existing system encrypted it, or a password in it. */
export const isEncryptedBefore = (text: string): boolean => text.search(KEPT) >= 0

/**
 * The text with all passwords in it opened that the existing system encrypted: AES-128-CFB, the first 16 bytes random. `bad-secret`
 * unless the key is one of its own, and for what another key makes of it, as far as that shows: nothing in the text proves the key.
 */
export function decryptBefore(text: string, key: Secret): Result<Secret> {
  const bytes = Buffer.from(reveal(key), 'base64')
  if (bytes.length !== KEPT_KEY_BYTES) return fail('bad-secret', 'the key is of this manager, not of that system')
  const opened: Buffer[] = []
  const whole = text.replace(KEPT, (_, before: string, hex: string) => {
    const sealed = Buffer.from(hex, 'hex')
    const decipher = createDecipheriv('aes-128-cfb', bytes, sealed.subarray(0, KEPT_IV_BYTES))
    const plain = Buffer.concat([decipher.update(sealed.subarray(KEPT_IV_BYTES)), decipher.final()])
    opened.push(plain)
    return before + plain.toString('utf8')
  })
  return opened.every(isPrintable)
    ? ok(secret(whole))
    : fail('bad-secret', 'the secret was encrypted with another key, or was changed')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no password has them, and half of what a wrong key makes does
const isPrintable = (bytes: Buffer): boolean => isUtf8(bytes) && !/[\0-\x1f\x7f]/.test(bytes.toString('utf8'))

/** Older values of that system, without the prefix: at least one byte after the first 16. */
const BARE = /(^|:)((?:[0-9a-f]{2}){17,})(?=,|$)/g

/**
 * Whether hexadecimal digits in the text, which are taken for a password, may be what an older existing system encrypted: its key
 * makes text of them.
 */
export const mayBeEncryptedBefore = (text: string, key: Secret): boolean =>
  text.search(BARE) >= 0 && decryptBefore(text.replace(BARE, '$1hash_$2'), key).ok

/** The key of AES-256: that of the file, or one derived from the shorter one of the existing system. */
function cipherKey(key: Secret): Buffer {
  const bytes = Buffer.from(reveal(key), 'base64')
  return bytes.length === KEPT_KEY_BYTES
    ? Buffer.from(hkdfSync('sha256', bytes, '', 'manager: secrets at rest', KEY_BYTES))
    : bytes
}

/** `aes256gcm:` and base64 of nonce, tag and ciphertext. `nonce` (12 bytes) must never repeat under one key. */
export function encryptSecret(value: Secret, key: Secret, nonce: Buffer = randomBytes(NONCE_BYTES)): string {
  const cipher = createCipheriv('aes-256-gcm', cipherKey(key), nonce)
  const sealed = Buffer.concat([cipher.update(reveal(value), 'utf8'), cipher.final()])
  return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/**
 * The text with all that is encrypted in it opened: the whole of it, or passwords of accounts (`user:aes256gcm:…`, with commas
 * between them). `bad-secret` when nothing is, the key is another one or the text was changed.
 */
export function decryptSecret(text: string, key: Secret): Result<Secret> {
  const parts = [...text.matchAll(SEALED)].map(([, , sealed = '']) => openSealed(sealed, key))
  if (parts.length === 0) return fail('bad-secret', 'not an encrypted secret')
  const opened: string[] = []
  for (const part of parts) {
    if (!part.ok) return part
    opened.push(reveal(part.value))
  }
  return ok(secret(text.replace(SEALED, (_, user = '') => `${user}${opened.shift()}`)))
}

function openSealed(text: string, key: Secret): Result<Secret> {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return fail('bad-secret', 'not an encrypted secret')
  try {
    const decipher = createDecipheriv('aes-256-gcm', cipherKey(key), bytes.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES)
    return ok(secret(Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8')))
  } catch {
    return fail('bad-secret', 'the secret was encrypted with another key, or was changed')
  }
}

/** Writes a new key file of mode 0600; an existing file is never replaced (`file-unwritable`). */
export async function generateKeyFile(path: string): Promise<Result<void>> {
  try {
    const file = await open(path, 'wx', modeOf('key'))
    try {
      await file.chmod(modeOf('key'))
      await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    return done
  } catch (error) {
    return fail('file-unwritable', `${path}: ${reason(error)}`)
  }
}

/** The key in base64, one of the existing system (16 bytes) as well, or undefined when there is no such file. `bad-secret` when others may read it or it holds no key. */
export async function readKeyFile(path: string): Promise<Result<Secret | undefined>> {
  try {
    const file = await open(path, 'r')
    try {
      if (!isOwnersAlone((await file.stat()).mode))
        return fail('bad-secret', `${path}: is readable by other users; set mode 0600`)
      const bytes = await file.readFile()
      if (bytes.length === KEPT_KEY_BYTES) return ok(secret(bytes.toString('base64')))
      const text = bytes.toString('utf8').trim()
      if (Buffer.from(text, 'base64').length !== KEY_BYTES)
        return fail('bad-secret', `${path} contains no key of ${KEY_BYTES} bytes`)
      return ok(secret(text))
    } finally {
      await file.close()
    }
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? ok(undefined) : fail('file-unreadable', `${path}: ${reason(error)}`)
  }
}

/** `ENOENT`, `EACCES`, … of a failed file operation. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** What went wrong with a file, without its path. */
export const reason = (error: unknown): string => sentences[errorCode(error)] ?? errorCode(error)

const sentences: Readonly<Record<string, string>> = {
  EEXIST: 'the file exists already',
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'is not a directory',
  ENOSPC: 'no space left',
  EROFS: 'the file system is read-only',
}
