// `npm run docs`: writes every document of share/doc and every page of share/man that is printed from a table.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { sharePath } from '../lib/base/package-root.js'
import { documents, manuals } from './docs/documents.js'

for (const [name, print] of Object.entries(documents)) await renew('doc', name, await print())

const pages = manuals()
await mkdir(sharePath('man'), { recursive: true })
for (const [name, text] of Object.entries(pages)) await renew('man', name, text)
for (const name of await readdir(sharePath('man')))
  if (!(name in pages)) await rm(sharePath('man', name)).then(() => tell(`share/man/${name} is gone`))

/** Writes the file where it is not yet what it should be. */
async function renew(folder: string, name: string, text: string): Promise<void> {
  const file = sharePath(folder, name)
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  await writeFile(file, text)
  tell(`share/${folder}/${name}`)
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
