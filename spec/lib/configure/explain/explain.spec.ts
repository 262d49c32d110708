// The effect of a tag, and of a change of tags, on a server with its resources, as readable lines.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import {
  compareTags,
  explainTag,
  readConfigureSettings,
  renderTagChange,
  type Software,
  type Subject,
} from '../../../../lib/configure/index.js'
import { mariadb, shippedRules } from '../../../support/configuration/rules.js'

const rules = shippedRules()

const subject = (tags: string, software: Software = mariadb): Subject => ({
  ...unwrap(readConfigureSettings({ 'prov-db-tags': tags })),
  ...{ software, cluster: 'demo', context: { kind: 'container' } as const },
  server: { id: 'db4711081512345678', host: 'db1', port: 3306 },
})

const explained = (tag: string, of: Subject): string => {
  const rule = rules.rules.find((each) => each.tag === tag)
  return rule === undefined ? '' : explainTag(rule, of).join('\n')
}

const change = (before: string, after: string, software?: Software): readonly string[] =>
  renderTagChange(compareTags(rules, subject(before, software), after.split(',')))

const mysql: Software = { flavour: 'mysql', version: { major: 8, minor: 4, patch: 3 } }

describe('explainTag', () => {
  it('lists the options written for this server, with the reason of each figure', () => {
    expect(explained('innodb', subject(''))).to.match(/# innodb 60 % of 192 MB .*\n {2}innodb_buffer_pool_size = 104M/)
  })

  it('shows how the tag is applied live and reverted', () => {
    const text = explained('general', subject(''))
    expect(text).to.include('applied live by:\n  SET GLOBAL general_log = ON')
    expect(text).to.include('taken back live by:\n  SET GLOBAL general_log = OFF')
  })

  it('reports that a tag needs a restart, a package, or another flavour', () => {
    expect(explained('spider', subject(''))).to.include('needs the package: mariadb-plugin-spider')
    expect(explained('threadpool', subject(''))).to.include('takes effect: at the next start')
    expect(explained('sqlerror', subject('', mysql))).to.include('does not apply to this flavour and version')
  })

  it('replaces the variables of statements', () => {
    expect(explained('multidomains', subject(''))).to.include('SET GLOBAL gtid_domain_id = 47110815')
  })
})

describe('compareTags', () => {
  for (const [before, after, ...lines] of [
    ['row', 'row,general', '+ general_log = ON', 'applied live by:', '  SET GLOBAL general_log = ON'],
    [
      'slow,nodurable',
      'slow',
      '- innodb_flush_log_at_trx_commit = 0',
      'applied live by:',
      '  SET GLOBAL innodb_flush_log_at_trx_commit = 1',
    ],
    [
      'row',
      'row,threadpool',
      '+ extra_max_connections = 10',
      '+ extra_port = 3307',
      '+ thread_handling = pool-of-threads',
      'takes effect at the next start',
    ],
    [
      'nomrr',
      'nomrr,noicp',
      '+ optimizer_switch.index_condition_pushdown = off',
      'applied live by:',
      "  SET GLOBAL optimizer_switch = 'index_condition_pushdown=off'",
    ],
    ['row', 'row', 'nothing changes in the options'],
    ['row', 'row,nosuch', '! no rule defines the tag nosuch', 'nothing changes in the options'],
  ] as const)
    it(`lists the changes from ${before} to ${after}`, () => {
      expect(change(before, after)).to.deep.equal(lines)
    })

  it('applies options again that a dropped tag had overridden', () => {
    const { statements } = compareTags(rules, subject('row,statement'), ['row'])
    expect(statements).to.deep.equal(["SET GLOBAL binlog_format = 'MIXED'", "SET GLOBAL binlog_format = 'ROW'"])
  })

  it('names tags that contradict each other', () => {
    expect(change('row', 'row,statement')[0]).to.equal('! row and statement contradict each other')
  })
})
