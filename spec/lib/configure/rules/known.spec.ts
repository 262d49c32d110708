// The lists of options that rules are checked against match the installed servers.
import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { sharePath } from '../../../../lib/base/package-root.js'
import { checkRules, faultText, findOption, parseKnown } from '../../../../lib/configure/index.js'
import { engineIfAny, readKnownOptions } from '../../../support/configuration/known-options.js'

const lists = { mariadb: 'mariadb-10.11', 'mariadb-11.8': 'mariadb-11.8', 'mysql-9': 'mysql-9.7' } as const

const textOf = (list: string): string => readFileSync(sharePath('rules', 'known', `${list}.tsv`), 'utf8')

describe('the lists of known options', () => {
  for (const name of ['mariadb', 'mariadb-11.8', 'mysql-9'] as const)
    it(`match ${lists[name]}`, async function () {
      if ((await engineIfAny(name)) === undefined) return this.skip()
      const text = await readKnownOptions(name)
      if (process.env.UPDATE === '1') writeFileSync(sharePath('rules', 'known', `${lists[name]}.tsv`), text)
      const version = /^# \w+ (\S+):/
      // A later patch release may have more; UPDATE=1 adds them.
      const [here, listed] = [version.exec(text)?.[1], version.exec(textOf(lists[name]))?.[1]]
      if (here !== listed) console.log(`    skipped: the list is of ${listed}, here is ${here}`)
      if (here !== listed) return this.skip()
      expect(text).to.equal(textOf(lists[name]))
    })
})

const known = parseKnown(Object.values(lists).map((list) => ({ file: `${list}.tsv`, text: textOf(list) })))

describe('findOption', () => {
  it('finds an option as option files may spell it', () => {
    const [server] = known.servers
    for (const name of ['log_bin', 'log-bin', 'loose_log_bin', 'skip_log_bin', 'LOG_BIN'])
      expect(server && findOption(server, name)?.name, name).to.equal('log_bin')
    expect(server && findOption(server, 'log_bim')).to.equal(undefined)
  })

  it('reports what can be set at run time, and which library provides an option', () => {
    const [server] = known.servers
    expect(server && findOption(server, 'general_log')).to.deep.equal({ name: 'general_log', change: 'live' })
    expect(server && findOption(server, 'datadir')?.change).to.equal('start')
    expect(server && findOption(server, 'server_audit_events')?.plugin).to.equal('server_audit')
  })
})

describe('checkRules, knowing servers', () => {
  const faultsIn = (...options: readonly string[]): readonly string[] => {
    const head = ['one:', '  category: log', '  order: 9', '  doc: Says in a sentence what it is for.']
    const lines = [...head, '  source: https://example.org/page', '  restart: true', '  options:', ...options]
    return checkRules([{ file: 'a.yaml', text: `${lines.join('\n')}\n` }], { known }).faults.map(faultText)
  }

  for (const [title, line, ...faults] of [
    [
      'a misspelt option',
      '    slow_query_lgo: ON',
      'a.yaml:8: one: no server knows the option slow_query_lgo; did you mean slow_query_log?',
    ],
    [
      'an option without the gate it needs',
      '    innodb_defragment: ON',
      'a.yaml:8: one: mariadb 11.8 knows no option innodb_defragment: add a gate (for: …) or loose: true',
    ],
    [
      'an option of a plugin that is not loaded',
      '    server_audit_events: { value: CONNECT, for: mariadb }',
      'a.yaml:8: one: mariadb 10.11 knows the option server_audit_events only with the plugin server_audit: load it here or add loose: true',
    ],
    ['nothing in an option that is gated', '    innodb_defragment: { value: ON, for: mariadb <11.1 }'],
    ['nothing in an option that is loose', '    server_audit_events: { value: CONNECT, loose: true }'],
  ] as const)
    it(`names ${title}`, () => expect(faultsIn(line)).to.deep.equal(faults))
})
