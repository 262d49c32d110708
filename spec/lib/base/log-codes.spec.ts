// The table of log lines: no row that nothing writes, and what every row says.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { logCodes } from '../../../lib/base/log-codes.js'
import { packageRoot } from '../../../lib/base/package-root.js'

describe('logCodes', () => {
  it('has only codes that some place writes', () => {
    const text = ['actors', 'bin', 'http', 'lib'].flatMap(readSources).join('\n')
    const silent = Object.keys(logCodes).filter(
      (code) => !text.includes(`'${code}'`) && !code.startsWith('certificates-'),
    )
    expect(silent).to.deep.equal([])
  })

  it('says each line in sentences', () => {
    for (const [code, { sentence, hint }] of Object.entries(logCodes))
      for (const text of [sentence, ...(hint === undefined ? [] : [hint])])
        expect(text, code).to.match(/^[A-Za-z].*\.$/)
  })
})

function readSources(room: string): readonly string[] {
  return readdirSync(path.join(packageRoot, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('log-codes.ts') && !name.includes('node_modules'))
    .map((name) => readFileSync(path.join(packageRoot, room, name), 'utf8'))
}
