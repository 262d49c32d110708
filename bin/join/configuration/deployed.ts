// What the option files of a server say, where this machine holds them: those that the local orchestrator starts it on.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Options, parseOptions } from '../../../lib/configure/index.js'
import type { Settings } from '../../../lib/settings/index.js'

/** Read in the order of the server: the fragments of the tags, then the overlays. Undefined where they lie elsewhere. */
export async function readDeployed(settings: Settings, directory: string): Promise<Options | undefined> {
  if (settings['prov-orchestrator'] !== 'local') return undefined
  const options = new Map<string, string>()
  let files = 0
  for (const folder of ['rc.d', 'custom.d']) {
    const place = path.join(directory, 'init/etc/mysql', folder)
    const names = (await readdir(place).catch(() => [])).filter((name) => name.endsWith('.cnf')).toSorted()
    for (const name of names) {
      const text = await readFile(path.join(place, name), 'utf8').catch(() => undefined)
      if (text === undefined) continue
      files += 1
      for (const [option, value] of parseOptions(text)) options.set(option, value)
    }
  }
  return files === 0 ? undefined : options
}
