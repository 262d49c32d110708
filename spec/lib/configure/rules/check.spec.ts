// Faults in rules are found when they are loaded, each with its file and line.
import { expect } from 'chai'
import { checkRules, faultText } from '../../../../lib/configure/index.js'
import { shippedFiles } from '../../../support/configuration/rules.js'

const faultsIn = (...texts: readonly string[]): readonly string[] =>
  checkRules(texts.map((text, index) => ({ file: `${'ab'[index]}.yaml`, text }))).faults.map(faultText)

/** A tag without fault, with `lines` in addition. */
const tag = (name: string, ...lines: readonly string[]): string =>
  [
    `${name}:`,
    '  category: log',
    '  doc: Describes its purpose in a sentence.',
    '  source: https://example.org/page',
    '  restart: true',
    ...lines.map((line) => `  ${line}`),
    '',
  ].join('\n')

describe('checkRules', () => {
  it('finds no fault in the shipped rules', () => {
    expect(checkRules(shippedFiles()).faults).to.deep.equal([])
  })

  for (const [name, text, ...faults] of [
    ['an unknown key', tag('one', 'colour: red'), 'a.yaml:6: one: unknown key colour'],
    [
      'an unknown key of an option',
      tag('one', 'order: 5', 'options:', '  slow_query_log: { value: ON, since: 10 }'),
      'a.yaml:8: one: unknown key since',
    ],
    [
      'a tag without documentation',
      'one:\n  category: log\n  source: https://example.org/\n  restart: true\n',
      'a.yaml:1: one: doc has no documentation: add a sentence as doc',
    ],
    [
      'an unknown variable',
      tag('one', 'order: 5', 'options:', "  port: '%%ENV:PROT%%'"),
      'a.yaml:1: one: unknown variable %%ENV:PROT%%; dist/doc/variables.md lists them',
    ],
    [
      'a link without a target',
      tag('one', 'links:', '  - { path: etc/a.cnf, target: ../b.cnf }'),
      'a.yaml:1: one: the link etc/a.cnf has no target ../b.cnf',
    ],
    [
      'a link out of the tree',
      tag('one', 'links:', '  - { path: etc/a.cnf, target: ../../../passwd }'),
      'a.yaml:1: one: the link etc/a.cnf has no target ../../../passwd',
    ],
    [
      'links in a cycle',
      tag('one', 'links:', '  - { path: a, target: b }', '  - { path: b, target: a }'),
      'a.yaml:1: one: the link a is part of a cycle',
      'a.yaml:1: one: the link b is part of a cycle',
    ],
    [
      'tags that include each other',
      tag('one', 'includes: [two]') + tag('two', 'includes: [one]'),
      'a.yaml:1: one: includes itself: one → two → one',
    ],
    [
      'an unknown tag in a relation',
      tag('one', 'excludes: [other]'),
      'a.yaml:1: one: refers to the undefined tag other',
    ],
    [
      'options without an order',
      tag('one', 'options:', '  slow_query_log: ON'),
      'a.yaml:1: one: order has options and therefore needs an order from 1 to 99',
    ],
    [
      'a boolean that YAML parsed',
      tag('one', 'order: 5', 'options:', '  slow_query_log: true'),
      'a.yaml:8: one: options.slow_query_log expects a text, a number or nothing; write ON or OFF',
    ],
    [
      'a gate that is none',
      tag('one', 'for: maria 10'),
      'a.yaml:6: one: for "maria 10" is not a gate: write for example mariadb >=10.5 <11.1',
    ],
    [
      'a path that leaves the tree',
      tag('one', 'files:', '  - { path: ../etc/passwd, content: x }'),
      'a.yaml:7: one: files.0.path is not a relative path of the tree',
    ],
    [
      'a change without a statement of how it takes effect',
      tag('one').replace('  restart: true\n', '  live: []\n'),
      'a.yaml:1: one: restart is missing the way a change takes effect: set restart: true, or both live and back',
    ],
  ] as const)
    it(`names ${name} with file and line`, () => expect(faultsIn(text)).to.deep.equal(faults))

  it('names a tag that two files define', () => {
    expect(faultsIn(tag('one'), `# first\n${tag('one')}`)).to.deep.equal([
      'b.yaml:2: one: the tag one is already defined in a.yaml:1',
    ])
  })

  it('names a duplicate key, and text that is no YAML', () => {
    const [twice] = faultsIn(tag('one') + tag('one'))
    expect(twice).to.match(/^a\.yaml:6: /)
    expect(faultsIn('one: [')[0]).to.match(/^a\.yaml:\d+: /)
    expect(faultsIn('- one')).to.deep.equal(['a.yaml:1: must map tags to their rules'])
  })

  it('lists all faults at once', () => {
    expect(faultsIn(tag('one', 'colour: red') + tag('two', 'size: 1'))).to.have.length(2)
  })
})
