// Printed documents stand as they are printed, and whatever the sources refer to exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { builtDocuments, documents } from '../../bin/docs/documents.js'
import { packageRoot, sharePath } from '../../lib/base/package-root.js'

/** Compared by the specs of their own printers. */
const elsewhere = ['settings.md', 'acl.md']

const sources = ['lib', 'actors', 'http', 'bin', 'share', 'spec/bench', 'spec/chaos'].flatMap((folder) =>
  readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|md|sh|yaml)$/.test(name))
    .map((name) => path.join(packageRoot, folder, name)),
)

describe('documents', () => {
  for (const [name, print] of Object.entries(documents).filter(([known]) => !elsewhere.includes(known)))
    it(`prints share/doc/${name}; npm run docs regenerates it`, async () => {
      expect(readFileSync(sharePath('doc', name), 'utf8')).to.equal(await print())
    })

  it('holds every document that says that it is printed', () => {
    const printed = readdirSync(sharePath('doc'))
      .filter((name) => name.endsWith('.md'))
      .filter((name) => /^Printed from/m.test(readFileSync(sharePath('doc', name), 'utf8')))
    expect(printed).to.have.members(Object.keys(documents))
  })

  for (const [name, print] of Object.entries(builtDocuments))
    it(`prints ${name} for dist/doc, and keeps no copy of it`, async () => {
      expect(await print()).to.match(name.endsWith('.json') ? /^\{/ : /^# [\s\S]*Printed from/)
      expect(existsSync(sharePath('doc', name))).to.equal(false)
    })

  it('leaves no reference to a document without it', () => {
    const missing = sources.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(share|dist)\/doc\/([\w./-]*\w)/g)]
        .filter(([, folder, name = '']) =>
          folder === 'share' ? !existsSync(sharePath('doc', name)) : !(name in builtDocuments),
        )
        .map(([reference]) => `${path.relative(packageRoot, file)}: ${reference}`),
    )
    expect(missing).to.deep.equal([])
  })
})
