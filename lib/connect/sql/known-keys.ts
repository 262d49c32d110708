// The RSA key that the server at an address showed first: remembered by its fingerprint in a file of the cluster, one for each address.
// Addresses are `host:port`. Written at once and by a link, since sessions of several threads log in and none may seal a password before the key is on the disk.
import { createHash, createPublicKey } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { threadId } from 'node:worker_threads'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'

export interface KnownKeys {
  /** The folder of the cluster's files. */
  readonly directory: string
  /** The first key of an address is remembered; false: an address without a remembered key gets no password. */
  readonly learn: boolean
}

/** No password was sealed: the key that the server offers is not one that it may be sealed for. */
export class UnprovenKey extends Error {}

/** SHA-256 of a key, in hexadecimal: what `openssl pkey -pubin -outform DER | sha256sum` prints. Throws where it is no RSA key. */
export function keyFingerprint(pem: string): string {
  const key = createPublicKey(pem)
  if (key.asymmetricKeyType !== 'rsa')
    throw new UnprovenKey('the server offers a key that is no RSA key; the password was not sent')
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

/** Returns where the key is the one of the address, or its first one, which is on the disk then. Throws `UnprovenKey` otherwise. */
export function checkKnownKey({ directory, learn }: KnownKeys, address: string, shown: string): void {
  const file = fileOf(directory, address)
  const known = readKnown(file) ?? (learn ? remember(file, shown) : undefined)
  if (known === undefined)
    throw new UnprovenKey(
      `the server shows the RSA key ${shown}, and none is remembered of it; the password was not sent: the manager remembers the ` +
        'first one that it meets (db-servers-public-key-policy)',
    )
  if (known !== shown)
    throw new UnprovenKey(
      `the server shows another RSA key than before: SHA-256 ${shown} instead of ${known}; the password was not sent. If its keys ` +
        'were made again, accept the new one (accept-public-key)',
    )
}

/** The fingerprint that is remembered of an address; undefined: none, or its file is damaged. */
export function knownKey({ directory }: Pick<KnownKeys, 'directory'>, address: string): string | undefined {
  try {
    return readKnown(fileOf(directory, address))
  } catch {
    return undefined
  }
}

/** From now on the server at the address must show the key of this fingerprint. Failures: `wrong-value`, `file-unwritable`. */
export function acceptKey(
  { directory }: Pick<KnownKeys, 'directory'>,
  address: string,
  fingerprint: string,
): Result<void> {
  if (!FINGERPRINT.test(fingerprint)) return fail('wrong-value', 'not a fingerprint: 64 hexadecimal digits of SHA-256')
  const file = fileOf(directory, address)
  try {
    const draft = writeDraft(file, fingerprint)
    renameSync(draft, file)
    syncFolder(file)
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** The server at the address gets new keys, or its earlier ones: the next one that it shows counts as the first. */
export function forgetKey(keys: Pick<KnownKeys, 'directory'> | undefined, address: string): void {
  if (keys) rmSync(fileOf(keys.directory, address), { force: true })
}

const FINGERPRINT = /^[0-9a-f]{64}$/

const fileOf = (directory: string, address: string): string =>
  path.join(directory, encodeURIComponent(address.toLowerCase()))

/** A file that cannot be read, or holds something else, is no reason to trust another key. */
function readKnown(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'latin1').trim()
    if (FINGERPRINT.test(text)) return text
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw new UnprovenKey(`the remembered RSA key cannot be read; the password was not sent: ${reasonOf(error)}`)
  }
  throw new UnprovenKey(
    `${file} holds no fingerprint; the password was not sent. Accept the key of the server (accept-public-key)`,
  )
}

/** Of several sessions that meet the address first, one remembers the key; all of them compare with that one. */
function remember(file: string, fingerprint: string): string | undefined {
  let draft: string | undefined
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: modeOf('scratch') })
    draft = writeDraft(file, fingerprint)
    linkSync(draft, file)
    syncFolder(file)
    return fingerprint
  } catch (error) {
    if (isCode(error, 'EEXIST')) return readKnown(file)
    throw new UnprovenKey(
      `the RSA key of the server cannot be remembered; the password was not sent: ${reasonOf(error)}`,
    )
  } finally {
    if (draft !== undefined) rmSync(draft, { force: true })
  }
}

/** Distinguishes the drafts of this thread. */
let drafts = 0

function writeDraft(file: string, fingerprint: string): string {
  mkdirSync(path.dirname(file), { recursive: true, mode: modeOf('scratch') })
  const draft = `${file}.${process.pid}-${threadId}-${++drafts}.tmp`
  const handle = openSync(draft, 'wx', modeOf('state'))
  try {
    writeSync(handle, `${fingerprint}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return draft
}

function syncFolder(file: string): void {
  const handle = openSync(path.dirname(file), 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
