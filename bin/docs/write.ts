// Writes printed documents to their folders.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { builtPath, sharePath } from '../../lib/base/package-root.js'
import { builtDocuments, documents, manuals } from './documents.js'

/** The documents of dist/doc and dist/man, and nothing else there. Part of the build. */
export async function writeBuiltDocuments(): Promise<void> {
  await renew(builtPath('doc'), await printed(builtDocuments))
  await renew(builtPath('man'), manuals())
}

/** The printed pages of share/doc; answers the names of those that were changed. */
export const writeKeptDocuments = async (): Promise<readonly string[]> =>
  writeChanged(sharePath('doc'), await printed(documents))

async function renew(folder: string, pages: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeChanged(folder, pages)
  for (const name of await readdir(folder)) if (!(name in pages)) await rm(path.join(folder, name))
}

async function writeChanged(folder: string, pages: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const changed: string[] = []
  for (const [name, text] of Object.entries(pages)) {
    const file = path.join(folder, name)
    if ((await readFile(file, 'utf8').catch(() => '')) === text) continue
    await writeFile(file, text)
    changed.push(name)
  }
  return changed
}

const printed = async (printers: typeof documents): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(await Promise.all(Object.entries(printers).map(async ([name, print]) => [name, await print()])))
