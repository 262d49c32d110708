// The keys of a cluster's backups: a file of identities in the age format, oldest first, as `age --decrypt --identity` reads it.
import { readFile, stat } from 'node:fs/promises'
import { isOwnersAlone, modeOf, printMode } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import { atomicCreate, atomicWrite, codeOf, reasonOf } from '../../store/kit/atomic-write.js'

export interface BackupKeys {
  /** Private keys, oldest first: each may decrypt, the last one is used for new backups. */
  readonly identities: readonly string[]
  /** Public key of the newest. */
  readonly recipient: string
}

/** Failure `no-key`: no file, no key in it, or a file that others may read. */
export async function readKeys(file: string): Promise<Result<BackupKeys>> {
  try {
    const { mode } = await stat(file)
    if (!isOwnersAlone(mode))
      return fail('no-key', `${file}: has the mode ${printMode(mode)}; set it to 600 (chmod 600 ${file})`)
    const identities = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('AGE-SECRET-KEY-'))
    const newest = identities.at(-1)
    if (newest === undefined) return fail('no-key', `${file}: has no line AGE-SECRET-KEY-…`)
    const { identityToRecipient } = await import('age-encryption')
    return ok({ identities, recipient: await identityToRecipient(newest) })
  } catch (error) {
    return fail('no-key', `${file}: ${reasonOf(error)}`)
  }
}

/** Creates the file with a first key where it is missing. Answers the public key of the newest. */
export async function ensureKeys(file: string, at: number): Promise<Result<string>> {
  const exists = await stat(file).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  )
  if (!exists) {
    // Backups and the storing of binary logs run in processes of their own: the first key is that of the first to come.
    const { text } = await newKey(at)
    const created = await atomicCreate(file, text)
    if (!created.ok) return created
  }
  const keys = await readKeys(file)
  return keys.ok ? ok(keys.value.recipient) : keys
}

/** Adds a key, which new backups are encrypted with; those before it decrypt older ones. Answers its public key. */
export async function addKey(file: string, at: number): Promise<Result<string>> {
  const before = await readFile(file, 'utf8').catch((error: unknown) => (codeOf(error) === 'ENOENT' ? '' : undefined))
  if (before === undefined) return fail('file-unreadable', file)
  const { recipient, text } = await newKey(at)
  const written = await atomicWrite(file, before + text, { mode: modeOf('key'), keepPrevious: before !== '' })
  return written.ok ? ok(recipient) : written
}

async function newKey(at: number): Promise<{ readonly recipient: string; readonly text: string }> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  return { recipient, text: [`# created: ${isoTime(at)}`, `# public key: ${recipient}`, identity, ''].join('\n') }
}
