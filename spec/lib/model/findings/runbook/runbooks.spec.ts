// Runbook pages as people rely on them: complete, about things that exist, and in every form the same.
import { expect } from 'chai'
import { fillCommand, plainName } from '../../../../../lib/model/findings/runbook/fill.js'
import { renderHtml, renderIndex } from '../../../../../lib/model/findings/runbook/html.js'
import { cli, shell, sql } from '../../../../../lib/model/findings/runbook/kit/page.js'
import { runbookUrl } from '../../../../../lib/model/findings/runbook/link.js'
import { printRunbooks, renderMarkdown } from '../../../../../lib/model/findings/runbook/markdown.js'
import { findRunbook, type Runbook, runbooks } from '../../../../../lib/model/findings/runbook/runbooks.js'
import { findings } from '../../../../../lib/model/findings.js'
import { findRecognised, findSetting } from '../../../../../lib/settings/index.js'

const textsOf = ({ means, causes, check, act, avoid }: Runbook): readonly string[] => [
  means,
  ...causes,
  ...[...check, ...act].filter((step) => typeof step === 'string'),
  ...avoid,
]

const page = (name: string): Runbook => {
  const found = findRunbook(name)
  if (!found) throw new Error(`no page ${name}`)
  return found
}

describe('runbooks', () => {
  it('have a page for every finding', () => {
    const names = new Set<string>(runbooks.map(({ name }) => name))
    expect(Object.keys(findings).filter((code) => !names.has(code))).to.deep.equal([])
  })

  for (const runbook of runbooks) {
    const { name, means, causes, check, act, avoid } = runbook
    it(`${name} says what it means, its causes, how to check it, what to do and what not to do`, () => {
      expect(means.length).to.be.greaterThan(60)
      expect([causes.length, check.length, act.length, avoid.length]).to.not.include(0)
      expect(
        check.some((step) => typeof step !== 'string'),
        'a command that checks it',
      ).to.equal(true)
      for (const text of textsOf(runbook)) expect(text).to.match(/^[A-Z0-9][\s\S]*[.:,;?]$|^[a-z][\w-]* [\s\S]*\.$/)
    })

    it(`${name} names only codes, settings and variables of this program that exist`, () => {
      const text = textsOf(runbook).join('\n')
      const codes = text.match(/\b(?:ERR\d+|WARN\d+)\b/g) ?? []
      expect(codes.filter((code) => !(code in findings))).to.deep.equal([])
      const names =
        text.match(
          /(?<![\w-])(?:failover|switchover|monitoring|replication|db-servers|force|proxysql|haproxy|maxscale|api|prov|check|durability|onpremise)-[a-z][a-z-]*[a-z]\b/g,
        ) ?? []
      expect(names.filter((one) => !findSetting(one) && !prefixes.has(one))).to.deep.equal([])
    })
  }

  it('means something else on every page', () => {
    const means = runbooks.map((one) => one.means)
    expect(means.filter((one, index) => means.indexOf(one) !== index)).to.deep.equal([])
  })

  it('names no setting without effect', () => {
    const words = runbooks
      .flatMap(textsOf)
      .join(' ')
      .split(/[^a-z0-9-]+/)
    expect([...new Set(words)].filter((word) => word.includes('-') && findRecognised(word))).to.deep.equal([])
  })

  it('is found in any case', () => {
    expect(findRunbook('err00012')?.name).to.equal('ERR00012')
    expect(findRunbook('managerdown')?.name).to.equal('ManagerDown')
    expect(findRunbook('ERR99999')).to.equal(undefined)
  })
})

/** Beginnings of the names of several settings. */
const prefixes = new Set(['db-servers-tls'])

describe('fillCommand', () => {
  it('leaves what is not known for the reader', () => {
    expect(fillCommand(cli('server start <server>'), {})).to.equal('manager-cli server start <server>')
  })

  it('names cluster and server where they are known', () => {
    const names = { cluster: 'shop', server: 'db1:3307' }
    expect(fillCommand(cli('server start <server>'), names)).to.equal(
      'manager-cli --cluster shop server start db1:3307',
    )
    expect(fillCommand(shell('nc -vz <server> 3306'), names)).to.equal('nc -vz db1 3307')
    expect(fillCommand(shell('mysql --host=<server>'), names)).to.equal('mysql --host=db1 --port=3307')
    expect(fillCommand(sql('SELECT 1'), names)).to.equal('SELECT 1')
  })

  it('takes nothing for a name that a shell or a browser could read otherwise', () => {
    for (const text of ['db1;rm -rf /', '$(id)', '<b>', "'", 'a b', '', '-x', '`id`', 'a\n'])
      expect(plainName.test(text), text).to.equal(false)
    for (const text of ['db1', 'db-1.example.org:3307', 'shop_eu', '[fe80::1]:3306', '[2001:db8::7]'])
      expect(plainName.test(text), text).to.equal(true)
  })
})

describe('the forms of a page', () => {
  const server = { cluster: 'shop', server: 'db1' }

  it('have every section, command and sentence in Markdown', () => {
    const text = renderMarkdown(page('ERR00012'), server)
    expect(text).to.match(/^# ERR00012\n\nError: No primary was found\./)
    for (const title of ['What it means', 'Usual causes', 'How to check', 'What to do', 'What not to do'])
      expect(text).to.include(`\n## ${title}\n`)
    expect(text).to.include('   manager-cli --cluster shop failover --plan\n')
  })

  it('escape in HTML what is not HTML, and link the codes that they mention', () => {
    const html = renderHtml(page('WARN0186'), { cluster: 'shop' })
    expect(html).to.not.match(/<server>|<primary>|<script/)
    expect(html).to.include('--host=&lt;server&gt;')
    expect(renderHtml(page('ERR00012'), { cluster: 'shop' })).to.include('<a href="ERR00063?cluster=shop">ERR00063</a>')
  })

  it('list all pages', () => {
    for (const { name } of runbooks) {
      expect(renderIndex()).to.include(`href="runbooks/${name}"`)
      expect(printRunbooks()).to.include(`\n## ${name}\n`)
    }
  })
})

describe('runbookUrl', () => {
  it('names the page with the cluster and the server', () => {
    expect(runbookUrl('https://m.example.org/', 'ERR00012', { cluster: 'shop' })).to.equal(
      'https://m.example.org/api/runbooks/ERR00012?cluster=shop',
    )
    expect(runbookUrl('', 'WARN0171', { server: 'db1:3307' })).to.equal('/api/runbooks/WARN0171?server=db1%3A3307')
  })
})
