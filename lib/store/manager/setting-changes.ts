// Who changed which setting, kept over restarts: JSON lines in the working directory, bounded, mode 0600.
import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'
import type { SettingChangeRecord, SettingValueAt } from '../../model/operation/setting-change.js'
import { codeOf, reasonOf } from '../kit/atomic-write.js'
import { parseObject } from '../kit/state-file.js'

/** Size from which the file moves to `setting-changes.jsonl.old` and a new one begins. */
const ROTATE_FROM = 1 << 19

const fileOf = (directory: string): string => path.join(directory, 'setting-changes.jsonl')

/** Appends one change. Failure: `file-unwritable`. */
export async function appendSettingChange(directory: string, change: SettingChangeRecord): Promise<Result<void>> {
  const file = fileOf(directory)
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
    const size = await stat(file).then(
      (stats) => stats.size,
      () => 0,
    )
    if (size > ROTATE_FROM) await rename(file, `${file}.old`)
    // The newline comes first: a line that a crash cut off damages no other.
    await appendFile(file, `\n${JSON.stringify(change)}`, { mode: modeOf('state') })
    return done
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  }
}

/** What the files hold, oldest first; a line that cannot be read (cut off by a crash) is left out. */
export async function readSettingChanges(directory: string): Promise<readonly SettingChangeRecord[]> {
  const texts = await Promise.all([`${fileOf(directory)}.old`, fileOf(directory)].map(readText))
  return texts
    .flatMap((text) => text.split('\n'))
    .map(parseChange)
    .filter((change) => change !== undefined)
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}

const actions = ['set', 'switch', 'clear', 'undo'] as const

function parseChange(line: string): SettingChangeRecord | undefined {
  const value = parseObject(line)
  const action = actions.find((one) => one === value?.action)
  if (!value || !action || typeof value.id !== 'number' || typeof value.name !== 'string') return undefined
  const [before, after] = [parseValue(value.before), parseValue(value.after)]
  if (!before || !after) return undefined
  const { id, name, at, user, cluster, undoes } = value
  const along = parseAlong(value.along)
  return {
    ...{ id, at: Number(at), user: String(user ?? ''), cluster: String(cluster ?? ''), name, action, before, after },
    ...(typeof undoes === 'number' ? { undoes } : {}),
    ...(along ? { along } : {}),
  }
}

function parseAlong(input: unknown): SettingChangeRecord['along'] {
  if (typeof input !== 'object' || input === null) return undefined
  const all = Object.entries(input).flatMap(([name, each]: [string, { before?: unknown; after?: unknown } | null]) => {
    const [before, after] = [parseValue(each?.before), parseValue(each?.after)]
    return before && after ? [[name, { before, after }] as const] : []
  })
  return Object.fromEntries(all)
}

function parseValue(input: unknown): SettingValueAt | undefined {
  if (typeof input !== 'object' || input === null || !('value' in input) || !('origin' in input)) return undefined
  const { value, origin } = input
  if (typeof value !== 'boolean' && typeof value !== 'number' && typeof value !== 'string') return undefined
  return { value, origin: String(origin) }
}
