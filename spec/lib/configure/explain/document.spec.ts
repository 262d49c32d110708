// The pages of tags and variables contain everything in the rules.
import { expect } from 'chai'
import { renderTagsDocument, renderVariablesDocument } from '../../../../lib/configure/index.js'
import { choosableTags } from '../../../../lib/configure/rules/tags.js'
import { shippedRules } from '../../../support/configuration/rules.js'

describe('renderTagsDocument', () => {
  it('has every tag that can be chosen', () => {
    const text = renderTagsDocument(shippedRules())
    for (const { tag } of choosableTags(shippedRules())) expect(text).to.contain(`\n### ${tag}\n`)
  })
})

describe('renderVariablesDocument', () => {
  it('has every variable that the shipped rules name', () => {
    const text = renderVariablesDocument()
    const named = new Set([...JSON.stringify(shippedRules()).matchAll(/%%ENV:(\w+)%%/g)].map(([, name = '']) => name))
    expect(named.size).to.be.above(20)
    for (const name of named) expect(text).to.contain(name)
  })
})
