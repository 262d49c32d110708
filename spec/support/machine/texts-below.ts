// The files of a folder that a program works in: what vanishes while it is read is none of them.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Path → bytes as latin1, of every file below the folder. */
export function textsBelow(folder: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    try {
      texts.set(file, readFileSync(file, 'latin1'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return texts
}
