// The option files of a server on this machine.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fail, ok, type Result } from '../../base/result.js'
import { optionFolders } from '../index.js'
import type { Site } from './process/site.js'

/** Read in the order of the server. Failure: `file-unreadable`, also where there is none. */
export async function readOptionFiles({ name, configFile }: Site): Promise<Result<string>> {
  const texts: string[] = []
  for (const folder of optionFolders) {
    const place = path.join(path.dirname(configFile), folder)
    const names = await readdir(place).catch((): string[] => [])
    for (const each of names.filter((file) => file.endsWith('.cnf')).toSorted()) {
      const text = await readFile(path.join(place, each), 'utf8').catch((error: Error) => error)
      if (typeof text !== 'string') return fail('file-unreadable', `${name}: ${text.message}`)
      texts.push(text)
    }
  }
  return texts.length === 0
    ? fail('file-unreadable', `${name}: no option files below ${path.dirname(configFile)}`)
    : ok(texts.join('\n'))
}
