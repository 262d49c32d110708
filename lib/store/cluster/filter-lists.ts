// The lists of patterns that select which metrics of a cluster are sent: `whitelist.conf` and `blacklist.conf` in its folder.
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { sharePath } from '../../base/package-root.js'
import { fail, ok, type Result } from '../../base/result.js'
import { atomicWrite, codeOf, reasonOf } from '../kit/atomic-write.js'

export type FilterListName = 'whitelist' | 'blacklist'

const fileOf = (directory: string, name: FilterListName): string => path.join(directory, `${name}.conf`)

/** The text of a list; undefined when there is no file yet. Failure: `file-unreadable`. */
export async function readFilterList(directory: string, name: FilterListName): Promise<Result<string | undefined>> {
  const file = fileOf(directory, name)
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok(undefined) : fail('file-unreadable', `${file}: ${reasonOf(error)}`)
  }
}

/** Replaces a list; the previous one is kept as `.old`. Failure: `file-unwritable`. */
export async function writeFilterList(directory: string, name: FilterListName, text: string): Promise<Result<void>> {
  try {
    await mkdir(directory, { recursive: true, mode: modeOf('stateFolder') })
  } catch (error) {
    return fail('file-unwritable', `${directory}: ${reasonOf(error)}`)
  }
  return atomicWrite(fileOf(directory, name), text, { mode: modeOf('list'), keepPrevious: true })
}

/** The shipped lists of a template. Failure: `file-unreadable`. */
export async function readFilterTemplate(
  template: 'none' | 'minimal' | 'grafana' | 'all',
): Promise<Result<Readonly<Record<FilterListName, string>>>> {
  const file = sharePath('graphite', `${template}.conf`)
  try {
    return ok({ whitelist: await readFile(file, 'utf8'), blacklist: template === 'none' ? '.*\n' : '' })
  } catch (error) {
    return fail('file-unreadable', `${file}: ${reasonOf(error)}`)
  }
}
