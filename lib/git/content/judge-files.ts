// The check before each commit: no secret leaves the host in clear, no key, and nothing that is not configuration.
import { fail, ok, type Result } from '../../base/result.js'
import type { RawEntry } from '../../settings/configuration/fault.js'
import { readToml } from '../../settings/load/toml.js'
import { isEncrypted } from '../../settings/secret/secrets.js'
import { findSetting, settingRow } from '../../settings/table/index.js'
import { findRecognised } from '../../settings/table/recognised.js'
import { kindOf } from './file-set.js'

/** Largest file, characters. */
export const LARGEST_FILE = 1 << 20
/** Reasons that one message names. */
const NAMED = 3

export interface Refusal {
  readonly path: string
  readonly problem: string
}

/** A name that is no setting of this release, and may have been one of another. */
const soundsSecret = /passw|credential|secret|token|private-key|api-key/i
/** An address with a password in it. */
const login = /:\/\/[^\s/:@]+:[^\s/@]+@/
const keyBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----|AGE-SECRET-KEY-/
/** The keyed mark of a secret that was rotated; one without a key could be guessed. */
const keyedMark = /^hmac:/

/** Failure: `secret-in-clear` with the files and names, never with a value. */
export function permitFiles(files: ReadonlyMap<string, string | undefined>): Result<void> {
  const refusals = [...files].flatMap(([path, text]) => judgeFile(path, text))
  const [first] = refusals
  if (!first) return ok(undefined)
  const named = refusals.slice(0, NAMED).map(({ path, problem }) => `${path}: ${problem}`)
  const more = refusals.length - named.length
  return fail('secret-in-clear', [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; '))
}

/** What keeps one file out of the repository; a file that goes (no text) may always go. */
export function judgeFile(path: string, text: string | undefined): readonly Refusal[] {
  if (text === undefined) return []
  const refuse = (problem: string): Refusal => ({ path, problem })
  if (kindOf(path).kind === 'foreign' && !path.startsWith('instances/'))
    return [refuse('is no file of the configuration')]
  if (text.length > LARGEST_FILE) return [refuse(`is larger than ${LARGEST_FILE} characters`)]
  if (keyBlock.test(text)) return [refuse('contains a private key')]
  const { sections, faults } = readToml(text, path, 'saved')
  const [fault] = faults
  if (fault) return [refuse(`line ${fault.origin.line}: not readable as TOML`)]
  return sections.flatMap(({ name: section, entries }) =>
    entries.filter((entry) => !isSafe(section, entry)).map(({ name }) => refuse(`${name} is in clear`)),
  )
}

function isSafe(section: string, { name, value }: RawEntry): boolean {
  const texts = textsOf(value)
  if (!isSecretName(name)) return !texts.some((text) => login.test(text))
  const isMark = section.startsWith('replaced-')
  return texts.every((text) => text === '' || isEncrypted(text) || (isMark && keyedMark.test(text)))
}

function isSecretName(name: string): boolean {
  const setting = findSetting(name)
  if (setting !== undefined) return settingRow(setting).secret
  const recognised = findRecognised(name)
  return recognised ? recognised.kind === 'secret' : soundsSecret.test(name)
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap(textsOf) : typeof value === 'string' ? [value] : []
