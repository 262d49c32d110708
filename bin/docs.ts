// `npm run docs`: writes every document of share/doc that is printed from a table.
import { readFile, writeFile } from 'node:fs/promises'
import { sharePath } from '../lib/base/package-root.js'
import { documents } from './docs/documents.js'

for (const [name, print] of Object.entries(documents)) {
  const file = sharePath('doc', name)
  const text = await print()
  if ((await readFile(file, 'utf8').catch(() => '')) === text) continue
  await writeFile(file, text)
  process.stdout.write(`share/doc/${name}\n`)
}
