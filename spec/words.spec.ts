// The words that the house does not use, and what it says instead: code, messages and documents are plain technical English.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../lib/base/package-root.js'

/** Banned words with what to write instead. Only whole words count, whatever their case. */
const banned: Readonly<Record<string, string>> = {
  anew: 'again, recreate, rebuild',
  'by itself': 'automatically, by default',
  everybody: 'all, every user, every server',
  'for ever': 'permanently, without limit',
  forever: 'permanently, without limit',
  kin: 'the others by name',
  lacks: 'has no …, … is missing',
  'look at': 'probe, check, poll',
  'looked at': 'probed, checked, polled',
  'looks at': 'probes, checks, polls',
  mend: 'fix, repair, correct',
  mended: 'fixed, repaired, corrected',
  mends: 'fixes, repairs, corrects',
  'put back': 'restored',
  savior: 'donor',
  somebody: 'someone, a user, a person',
  'the other way': 'toggle',
  'stand still': 'stop',
  'stands still': 'is stopped, is suspended',
  'stood still': 'stopped, was suspended',
  told: 'notified, reported, configured, sent',
  tells: 'notifies, reports, configures, shows',
  whoever: 'anyone who, users that',
  'at work': 'running, acting as',
}

const folders = ['lib', 'actors', 'http', 'bin', 'share', 'spec']
const roots = [...folders, 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']

/** Texts of others, and this list. */
const exempt = /^spec\/(fixture\/|words\.spec\.ts$)/

const files = roots.flatMap((root) =>
  path.extname(root) !== ''
    ? [root]
    : readdirSync(path.join(packageRoot, root), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(root, name),
      ),
)

const texts = files
  .filter((file) => /\.(tsx?|css|html|md|sh|yaml|yml)$/.test(file) && !exempt.test(file))
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
