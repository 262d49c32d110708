import { appendFile, cp } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { compileRules, readRules } from '../../../actors/archive/read-rules.js'
import { sharePath } from '../../../lib/base/package-root.js'
import { unwrap } from '../../../lib/base/result.js'
import { newDirectory } from '../../support/machine/directories.js'

const kinds = ['database', 'proxy'] as const

describe('readRules', () => {
  before(async () => {
    for (const kind of kinds) unwrap(await compileRules(kind))
  })

  for (const kind of kinds) {
    it(`takes the compiled rules of the ${kind}, equal to the parsed ones`, async () => {
      const changed = await changedCopy(kind, '# a comment\n')
      const compiled = unwrap(await readRules(sharePath('rules', kind), kind))
      const parsed = unwrap(await readRules(changed, kind))
      expect(compiled.set).to.deep.equal(parsed.set)
      expect(compiled.digest).to.not.equal(parsed.digest)
    })

    it(`refuses faults in changed rules of the ${kind}`, async () => {
      const read = await readRules(await changedCopy(kind, 'A TAG: {}\n'), kind)
      expect(read).to.have.nested.property('failure.code', 'bad-configuration')
    })
  }
})

/** The rules of the package with a line more, in a folder of the same name. */
async function changedCopy(kind: (typeof kinds)[number], line: string): Promise<string> {
  const folder = path.join(newDirectory('rules'), kind)
  await cp(sharePath('rules', kind), folder, { recursive: true })
  await appendFile(path.join(folder, kind === 'database' ? 'disk.yaml' : 'haproxy.yaml'), line)
  return folder
}
