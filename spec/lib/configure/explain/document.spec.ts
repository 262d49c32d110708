// The manual's pages of tags and variables are what the rules print.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { sharePath } from '../../../../lib/base/package-root.js'
import { renderTagsDocument, renderVariablesDocument } from '../../../../lib/configure/index.js'
import { shippedRules } from '../../../support/configuration/rules.js'

const same = (name: string, printed: string) => {
  const file = sharePath('doc', name)
  if (process.env.UPDATE === '1') writeFileSync(file, printed)
  expect(readFileSync(file, 'utf8')).to.equal(printed)
}

describe('renderTagsDocument', () => {
  it('prints share/doc/tags.md', () => same('tags.md', renderTagsDocument(shippedRules())))
})

describe('renderVariablesDocument', () => {
  it('prints share/doc/variables.md', () => same('variables.md', renderVariablesDocument()))
})
