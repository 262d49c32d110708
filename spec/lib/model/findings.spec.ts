// The registry of findings as its readers rely on it.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../lib/base/package-root.js'
import { reservedFindings } from '../../../lib/model/findings/reserved.js'
import { findings } from '../../../lib/model/findings.js'

/** What raises findings, or reads them: every source but the registry. */
const sources = ['lib', 'actors', 'http', 'bin']
  .flatMap((room) =>
    readdirSync(path.join(packageRoot, room), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(room, name),
    ),
  )
  .filter((file) => file.endsWith('.ts') && !file.startsWith('lib/model/findings'))
  .map((file) => readFileSync(path.join(packageRoot, file), 'utf8'))
  .join('\n')

describe('findings', () => {
  for (const [code, { sentence, hint }] of Object.entries(findings))
    it(`${code} says what it means and what to do`, () => {
      expect(code).to.match(/^(ERR\d{5}|WARN\d{4}|MDEV\d{5})$/)
      expect(sentence).to.match(/^[A-Z].*\.$/)
      expect(hint).to.match(/^\S.*[.?]$/)
    })

  it('reserves codes that it does not have', () => {
    expect(Object.keys(reservedFindings).filter((code) => code in findings)).to.deep.equal([])
  })

  it('has only codes that some source raises', () => {
    expect(Object.keys(findings).filter((code) => !sources.includes(code))).to.deep.equal([])
    expect(Object.keys(reservedFindings).filter((code) => sources.includes(code))).to.deep.equal([])
  })

  it('says nothing twice', () => {
    const sentences = Object.values(findings).map(({ sentence }) => sentence)
    expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)).to.deep.equal([])
  })
})
