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
    ['queries\n(\n', /pattern 2 is not a regular expression/],
    ['(a+)+$', /pattern 1 repeats a group/],
    ['x'.repeat(501), /longer than 500/],
  ] as const)
    it(`refuses ${text.slice(0, 12).trim()}`, () => {
      expect(checkFilterList(text)).to.have.nested.property('failure.message').that.matches(problem)
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
