// Additions that a list of tags accepts and refuses, for every tag of the shipped rules.
import { expect } from 'chai'
import fc from 'fast-check'
import { addTag, choosableTags, dropTag, selectRules } from '../../../../lib/configure/index.js'
import { mariadb, shippedRules } from '../../../support/configuration/rules.js'
import { proxyRules } from '../../../support/proxies/proxies.js'

const rules = shippedRules()
const names = choosableTags(rules).map(({ tag }) => tag)
const tagsAfter = (tags: readonly string[], tag: string, replace = false) => {
  const added = addTag(rules, tags, { tag, replace })
  return added.ok ? added.value : added.failure
}

describe('addTag', () => {
  it('appends a tag, once', () => {
    expect(tagsAfter(['row'], 'ssd')).to.deep.equal(['row', 'ssd'])
    expect(tagsAfter(['ssd', 'row'], 'ssd')).to.deep.equal(['ssd', 'row'])
  })

  it('names the nearest tag for an unknown one', () => {
    expect(tagsAfter(['row'], 'sdd')).to.deep.include({ code: 'unknown-tag' })
    expect(tagsAfter(['row'], 'semisink')).to.include({
      message: 'no rule defines the tag semisink; did you mean semisync?',
    })
    expect(tagsAfter([], 'x'.repeat(40))).to.include({ code: 'unknown-tag' })
  })

  it('accepts no always-included fragment as a tag', () => {
    expect(tagsAfter([], 'default_log')).to.include({ code: 'unknown-tag' })
  })

  it('refuses what contradicts a tag of the list, whichever of the two says so', () => {
    expect(tagsAfter(['row'], 'statement')).to.deep.include({
      code: 'tag-conflict',
      message: 'statement contradicts row, which is set: drop that first, or replace it',
    })
    expect(tagsAfter(['statement'], 'row')).to.include({ code: 'tag-conflict' })
    expect(tagsAfter(['statement'], 'minimal'), 'which includes row').to.include({ code: 'tag-conflict' })
  })

  it('drops what contradicts it when asked to', () => {
    expect(tagsAfter(['ssd', 'statement', 'slow'], 'minimal', true)).to.deep.equal(['ssd', 'slow', 'minimal'])
  })

  it('knows the tags of proxies', () => {
    expect(addTag(proxyRules.set, ['noreadwritesplit'], { tag: 'readwritesplit' })).to.include({ ok: false })
    expect(addTag(proxyRules.set, ['linux'], { tag: 'readonmaster' })).to.deep.include({
      value: ['linux', 'readonmaster'],
    })
  })

  it('never makes a list that contradicts itself, in whatever order tags come', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names)), fc.boolean(), (chosen, replace) => {
        const tags = chosen.reduce<readonly string[]>((list, tag) => {
          const added = addTag(rules, list, { tag, replace })
          return added.ok ? added.value : list
        }, [])
        const { unknown, conflicts } = selectRules(rules, tags, mariadb)
        expect({ unknown, conflicts }).to.deep.equal({ unknown: [], conflicts: [] })
        expect(new Set(tags).size).to.equal(tags.length)
      }),
    )
  })
})

describe('dropTag', () => {
  it('removes a tag, also one that is no longer defined', () => {
    expect(dropTag(rules, ['row', 'gone'], 'gone')).to.deep.equal({ ok: true, value: ['row'] })
  })

  it('leaves a list without it unchanged, and refuses an unknown tag', () => {
    expect(dropTag(rules, ['row'], 'ssd')).to.deep.equal({ ok: true, value: ['row'] })
    expect(dropTag(rules, ['row'], 'rwo')).to.nested.include({ 'failure.code': 'unknown-tag' })
  })

  for (const tag of names)
    it(`undoes the addition of ${tag}`, () => {
      const added = addTag(rules, [], { tag })
      expect(added).to.deep.equal({ ok: true, value: [tag] })
      expect(dropTag(rules, [tag], tag)).to.deep.equal({ ok: true, value: [] })
    })
})
