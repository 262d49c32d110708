// The registry of findings as its readers rely on it.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../lib/base/package-root.js'
import { ineligibleCodes } from '../../../lib/decide/failover/election/eligibility.js'
import { vetoCodes } from '../../../lib/decide/failover/veto/vetoes.js'
import { findingTable } from '../../../lib/decide/findings/open-findings.js'
import { explainedOnly } from '../../../lib/model/explained.js'
import { reservedFindings, reservedFor } from '../../../lib/model/findings/reserved.js'
import { findings } from '../../../lib/model/findings.js'
import { printFindings } from '../../../lib/model/print.js'

/** Sources that open findings besides the table of lib/decide: proxies, the manager, the gateway's logins. */
const announcing = [
  'lib/decide/backup',
  'lib/decide/failover/attempts.ts',
  'lib/decide/observe.ts',
  'lib/decide/upkeep/job-table.ts',
  'lib/decide/watching',
  'lib/proxy',
  'lib/notify',
  'actors',
  'bin/compose.ts',
]
  .flatMap(filesOf)
  .map((file) => readFileSync(path.join(packageRoot, file), 'utf8'))
  .join('\n')

const announced = new Set(Array.from(announcing.matchAll(/'((?:ERR|WARN|MDEV)\d+)'/g), ([, code = '']) => code))

/** Every code that something can open as an alert. */
const raised: ReadonlySet<string> = new Set([
  ...findingTable.cluster.map(({ code }) => code),
  ...findingTable.server.map(({ code }) => code),
  ...announced,
])

function filesOf(room: string): readonly string[] {
  if (room.endsWith('.ts')) return [room]
  return readdirSync(path.join(packageRoot, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(room, name))
}

describe('findings', () => {
  for (const [code, { sentence, hint }] of Object.entries(findings))
    it(`${code} says what it means and what to do`, () => {
      expect(code).to.match(/^(ERR\d{5}|WARN\d{4}|MDEV\d{5})$/)
      expect(sentence).to.match(/^[A-Z].*\.$/)
      expect(hint).to.match(/^\S.*[.?]$/)
    })

  it('has hints that every surface can show: none names an address of the API', () => {
    const named = Object.entries(findings).filter(([, { hint }]) =>
      /\b(GET|POST|PUT|DELETE) |(^|[^\w/])[CS]\/[a-z]|\/api\//.test(hint),
    )
    expect(named.map(([code]) => code)).to.deep.equal([])
  })

  it('reserves codes that it does not have', () => {
    expect(Object.keys(reservedFindings).filter((code) => code in findings)).to.deep.equal([])
  })

  it('has only codes that something opens as an alert, or that explain alone reports', () => {
    const shown = Object.keys(findings).filter((code) => raised.has(code))
    const others = Object.keys(findings).filter((code) => !raised.has(code))
    expect(others.sort()).to.deep.equal([...explainedOnly].sort())
    expect(shown.length).to.be.greaterThan(100)
  })

  it('reports in explain what explain alone reports', () => {
    const reported = new Set<string>([...ineligibleCodes, ...vetoCodes, 'ERR00033', 'ERR00040'])
    expect(explainedOnly.filter((code) => !reported.has(code))).to.deep.equal([])
  })

  it('reserves codes that nothing opens, each for a capability', () => {
    expect(Object.keys(reservedFindings).filter((code) => raised.has(code))).to.deep.equal([])
    expect(Object.keys(reservedFindings).filter((code) => reservedFor(code) === undefined)).to.deep.equal([])
  })

  it('shows reserved codes apart in share/doc/findings.md', () => {
    const [codes = '', explained = '', reserved = ''] = printFindings()
      .split(/^## .*$/m)
      .slice(1)
    const listed = (text: string) => Array.from(text.matchAll(/^\| ((?:ERR|WARN|MDEV)\d+) /gm), ([, code = '']) => code)
    expect(listed(codes)).to.have.members(Object.keys(findings).filter((code) => raised.has(code)))
    expect(listed(explained)).to.have.members([...explainedOnly])
    expect(listed(reserved)).to.have.members(Object.keys(reservedFindings))
  })

  it('says nothing twice', () => {
    const sentences = Object.values(findings).map(({ sentence }) => sentence)
    expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)).to.deep.equal([])
  })
})
