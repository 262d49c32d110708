import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { checkFilterList, openFilter, patternsOf } from '../../../lib/metrics/metric-filter.js'
import { readFilterTemplate } from '../../../lib/store/index.js'

const both = { whitelist: true, blacklist: true }
const name = (own: string) => `mysql.db1.mysql_global_status_${own}`

describe('openFilter', () => {
  it('asks the black list first, then the white list must hold the name', () => {
    const filter = openFilter({ whitelist: 'threads\nqueries$\n', blacklist: '# remark\nthreads_cached\n' }, both)
    expect(['threads_running', 'threads_cached', 'queries', 'queries_x'].map((own) => filter(name(own)))).to.deep.equal(
      [...[true, false, true, false]],
    )
  })

  it('lets everything through with an empty white list, and passes over a list that is switched off', () => {
    expect(openFilter({ whitelist: '# nothing\n', blacklist: '' }, both)(name('uptime'))).to.equal(true)
    const off = openFilter({ whitelist: 'queries', blacklist: '.*' }, { whitelist: false, blacklist: false })
    expect(off(name('uptime'))).to.equal(true)
  })
})

describe('checkFilterList', () => {
  for (const [text, problem] of [
    ['queries\n(\n', /pattern 2 is no pattern/],
    ['(?=a)b', /pattern 1 is no pattern/],
    ['a{900}', /takes \d+ steps/],
    [
      Array.from({ length: 201 }, (_, index) => `a.*${index}`).join('\n'),
      /201 patterns are no plain words; allowed: 200/,
    ],
    ['x'.repeat(501), /longer than 500/],
  ] as const)
    it(`refuses ${text.slice(0, 12).trim()}`, () => {
      expect(checkFilterList(text)).to.have.nested.property('failure.message').that.matches(problem)
    })
})

describe('hostile lists', () => {
  const hostile = ['((\\w+))+!', '(a+)+$', '(a|a)*(\\w*)*(x+x+)+y', '\\w*a\\w{90}s']

  it('are judged in bounded steps: a name that nearly matches is no worse than another', () => {
    const filter = openFilter({ whitelist: hostile.slice(0, 3).join('\n'), blacklist: '' }, both)
    expect(filter('a'.repeat(1_500))).to.equal(true)
    expect(filter('b'.repeat(1_500))).to.equal(false)
  })

  it('take their time of a window and no more; what is left is judged in the next one', () => {
    let at = 0
    const filter = openFilter({ whitelist: 'a.*b', blacklist: '' }, both, () => (at += 30))
    expect(filter('ab1')).to.equal(true)
    expect(filter('ab2')).to.equal(true)
    expect(filter('ab3'), 'no time left').to.equal(false)
    expect(filter('ab1'), 'known').to.equal(true)
    at += 10_000
    expect(filter('ab3'), 'in the next window').to.equal(true)
  })
})

describe('templates of filter lists', () => {
  const sizes = { none: 1, minimal: 23, grafana: 115, all: 0 }
  for (const template of ['none', 'minimal', 'grafana', 'all'] as const)
    it(`${template} is sound and has its patterns`, async () => {
      const lists = unwrap(await readFilterTemplate(template))
      expect(checkFilterList(lists.whitelist).ok).to.equal(true)
      expect(patternsOf(lists.whitelist).length).to.be.at.least(sizes[template])
      const filter = openFilter(lists, { whitelist: true, blacklist: false })
      expect(filter(name('threads_running')), 'running').to.equal(template !== 'none')
      expect(filter(name('binlog_commits')), 'commits').to.equal(template === 'grafana' || template === 'all')
      expect(filter(name('aria_pagecache_reads')), 'reads').to.equal(template === 'all')
    })
})
