// `npm run docs`: writes every document that is printed from a table: those kept in share/doc, and those of dist/doc and dist/man.
import { writeBuiltDocuments, writeKeptDocuments } from './docs/write.js'

for (const name of await writeKeptDocuments()) process.stdout.write(`share/doc/${name}\n`)
await writeBuiltDocuments()
