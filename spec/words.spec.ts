// The words that the house does not use, and what it says instead: code, messages and documents are plain technical English.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../lib/base/package-root.js'

/** Banned words with what to write instead. Only whole words count, whatever their case. */
const banned: Readonly<Record<string, string>> = {
  anew: 'again, recreate, rebuild',
  'for ever': 'permanently, without limit',
  kin: 'the others by name',
  lacks: 'has no …, … is missing',
  mend: 'fix, repair, correct',
  mended: 'fixed, repaired, corrected',
  mends: 'fixes, repairs, corrects',
  savior: 'donor',
  somebody: 'someone, a user, a person',
  'the other way': 'toggle',
  told: 'notified, reported, configured, sent',
  whoever: 'anyone who, users that',
  'at work': 'running, acting as',
}

const roots = ['lib', 'actors', 'http', 'bin', 'share', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']

const files = roots.flatMap((root) =>
  path.extname(root) !== ''
    ? [root]
    : readdirSync(path.join(packageRoot, root), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(root, name),
      ),
)

const texts = files
  .filter((file) => /\.(ts|md|sh|yaml|yml)$/.test(file))
  .map((file) => ({ file, lines: readFileSync(path.join(packageRoot, file), 'utf8').split('\n') }))

describe('words', () => {
  for (const [word, instead] of Object.entries(banned))
    it(`"${word}" is not used: ${instead}`, () => {
      const pattern = new RegExp(`\\b${word.replaceAll(' ', '\\s+')}\\b`, 'i')
      const uses = texts.flatMap(({ file, lines }) =>
        lines.flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
      )
      expect(uses).to.deep.equal([])
    })
})
