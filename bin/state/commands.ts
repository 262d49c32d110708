// The words of `manager backup-state`, `restore-state` and `state-format`.
import path from 'node:path'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { type LoadInput, loadConfiguration, renderFault } from '../../lib/settings/index.js'
import { currentFormat, isOccupied, moveFormat, readFormat } from '../../lib/store/index.js'
import { backupState } from './backup-state.js'
import { restoreState } from './restore-state.js'

interface Words {
  readonly plain: readonly string[]
  readonly keys?: string
  readonly directory?: string
  readonly encrypted: boolean
  /** Flags of settings. */
  readonly flags: readonly string[]
}

const FLAGS = ['--keys', '--directory'] as const

export const stateUsage = `Usage: manager backup-state FILE --keys KEYFILE | --plain
       manager restore-state FILE [--keys KEYFILE] [--directory DIR]
       manager state-format [NUMBER]`

/** One archive, encrypted to KEYFILE (created when missing) or, on request, not. */
export async function backupCommand(input: LoadInput): Promise<Result<string>> {
  const { plain, keys, encrypted, flags } = readWords(input.flags ?? [])
  const [file] = plain
  if (file === undefined || plain.length > 1 || encrypted !== (keys !== undefined))
    return fail('bad-request', stateUsage)
  const loaded = await loadConfiguration({ ...input, flags })
  if (!loaded.ok) return fail('bad-configuration', loaded.faults.map(renderFault).join('\n'))
  return backupState(loaded.configuration, { file, ...(keys === undefined ? {} : { keys }) })
}

/** The directory is the one named, that of the configuration where there is one, else that of the archive. */
export async function restoreCommand(input: LoadInput): Promise<Result<string>> {
  const { plain, keys, directory, flags } = readWords(input.flags ?? [])
  const [file] = plain
  if (file === undefined || plain.length > 1) return fail('bad-request', stateUsage)
  const target = directory ?? (await configuredDirectory({ ...input, flags }))
  return restoreState({
    file,
    ...(keys === undefined ? {} : { keys }),
    ...(target === undefined ? {} : { directory: target }),
  })
}

/** Without a number: which format the working directory has. With one: brings it there, for the release before. */
export async function formatCommand(input: LoadInput): Promise<Result<string>> {
  const { plain, flags } = readWords(input.flags ?? [])
  const directory = await configuredDirectory({ ...input, flags })
  if (directory === undefined)
    return fail('bad-configuration', 'the configuration cannot be read: manager check names its errors')
  const found = await readFormat(directory)
  if (!found.ok) return found
  const format = found.value?.format ?? currentFormat
  if (plain.length === 0) return ok(`${directory}: format ${format}; this version writes format ${currentFormat}`)
  const target = Number(plain[0])
  if (!Number.isSafeInteger(target)) return fail('bad-request', stateUsage)
  if (await isOccupied(directory)) return fail('wrong-state', `a manager runs on ${directory}: stop it first`)
  const moved = await moveFormat(directory, target)
  return moved.ok ? ok(`${directory}: format ${target}`) : moved
}

async function configuredDirectory(input: LoadInput): Promise<string | undefined> {
  if (input.file === undefined && (input.flags ?? []).length === 0) return undefined
  const loaded = await loadConfiguration(input)
  return loaded.ok ? path.resolve(loaded.configuration.server.settings['monitoring-datadir']) : undefined
}

function readWords(words: readonly string[]): Words {
  let found: Words = { plain: [], flags: [], encrypted: true }
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const [name = '', joined] = word.split(/=(.*)/s)
    const flag = FLAGS.find((each) => each === name)
    if (word === '--plain') found = { ...found, encrypted: false }
    else if (flag !== undefined) {
      const value = joined ?? words[++index] ?? ''
      found = flag === '--keys' ? { ...found, keys: value } : { ...found, directory: path.resolve(value) }
    } else if (word.startsWith('--')) found = { ...found, flags: [...found.flags, word] }
    else found = { ...found, plain: [...found.plain, word] }
  }
  return found
}
