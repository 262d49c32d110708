// `manager keygen` and `manager encrypt`: the key of secrets at rest, and a secret as the configuration may hold it.
import { modeOf, printMode } from '../../lib/base/files/modes.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { encryptSecret, generateKeyFile, readKeyFile } from '../../lib/settings/index.js'
import { readHidden, readInput } from '../cli/output/prompt.js'
import { usualKeyFile } from './arguments.js'

/** Creates the key; the value is the message to print. */
export async function makeKey([file = usualKeyFile]: readonly string[]): Promise<Result<string>> {
  const made = await generateKeyFile(file)
  return made.ok ? ok(`${file} created, mode 0${printMode(modeOf('key'))}`) : made
}

/** The encrypted form of a secret that a person types unseen, or that standard input gives. */
export async function encryptInput([file = usualKeyFile]: readonly string[]): Promise<Result<string>> {
  const key = await readKeyFile(file)
  if (!key.ok) return key
  if (!key.value) return fail('file-unreadable', `there is no key ${file}; manager keygen creates one`)
  const text = process.stdin.isTTY ? await readHidden('Secret: ') : await readInput()
  if (!text) return fail('wrong-value', 'an empty secret is not encrypted')
  return ok(encryptSecret(secret(text), key.value))
}
