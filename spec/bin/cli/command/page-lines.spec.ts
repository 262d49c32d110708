// Every manager-cli line of README and of the pages for users is one that the client takes, every manager line one of the daemon.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { readArguments, usage } from '../../../../bin/daemon/arguments.js'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { findSetting } from '../../../../lib/settings/index.js'
import { parseLine } from '../../../support/configuration/parse-line.js'

/** Pages with commands; decisions tell of their time, cli.md is printed from the client itself, screens.md shows its output. */
const pages = [
  'README.md',
  'http/dashboard/README.md',
  ...readdirSync(path.join(packageRoot, 'share/doc'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decision') && !['cli.md', 'screens.md'].includes(name))
    .map((name) => `share/doc/${name}`),
]

const spans = /`(?:bin\/)?manager-cli ([^`]+)`/g
const lines = /^\s*(?:\$ )?(?:bin\/)?manager-cli (.+)$/gm

/** The words of a line: what follows it in a shell is cut, what stands for a value is one, a text in quotes is one word. */
function wordsOf(line: string): readonly string[] {
  const [command = ''] = line.split(/\s+(?:#|\||&&|>|2>)|\s{3,}|;/)
  return [...command.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) =>
    word.replace(/^(["'])(.*)\1$/, '$2').replace(/<[^>]*>|…/g, 'x'),
  )
}

describe('the manager-cli lines of pages', () => {
  const found = new Map<
    string,
    { readonly words: readonly string[]; readonly page: string; readonly isNamed: boolean }
  >()
  for (const page of pages) {
    const text = readFileSync(path.join(packageRoot, page), 'utf8')
    const fenced = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].map(([, inner = '']) => inner).join('\n')
    for (const [, line = ''] of fenced.matchAll(lines)) found.set(line, { words: wordsOf(line), page, isNamed: false })
    for (const [, line = ''] of text.matchAll(spans))
      if (!found.has(line)) found.set(line, { words: wordsOf(line), page, isNamed: /^[a-z-]+( [a-z-]+)?$/.test(line) })
  }
  for (const [line, { words, page, isNamed }] of found)
    it(`\`${line.replaceAll('\n', ' ')}\` is a command (${page})`, async () => {
      const refused = await parseLine(words).then(
        () => undefined,
        (error: { readonly code: string }) => error,
      )
      // A sentence may name a command without what it takes.
      const isWrong = refused && !(isNamed && refused.code === 'commander.missingArgument')
      if (isWrong) throw refused
    })

  it('are found', () => {
    expect(found.size).to.be.above(100)
  })
})

const daemonSpans = /`(?:bin\/)?manager ([^`]+)`/g
const daemonLines = /^\s*(?:\$ )?(?:runuser -u manager -- )?(?:bin\/)?manager (.+)$/gm

/** What the usage says of a command: its line and those below that go on with it; of the configurator also what its verbs take. */
const usageOf = (command: string): string =>
  usage()
    .split(/\n(?= {7}manager )|\n\n/)
    .filter(
      (item) =>
        new RegExp(`manager (\\[)?(--)?${command}\\b`).test(item) ||
        (command === 'configurator' && item.startsWith('explain and diff take')),
    )
    .join('\n')

/** What is wrong with the words of a daemon's line, by its usage and the names of settings. */
function wrongIn(words: readonly string[]): string | undefined {
  const { command, flags } = readArguments(words)
  const text = usageOf(command)
  if (text === '' && !['version', 'help'].includes(command)) return `the usage has no ${command}`
  const plain = flags.filter((word) => !word.startsWith('-'))
  if (command === 'monitor' && plain.length > 0) return `no command: ${plain[0]}`
  const names = flags.flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? [])
  const unknown = names.find((name) => !new RegExp(`--${name}(?![\\w-])`).test(text) && findSetting(name) === undefined)
  return unknown === undefined ? undefined : `${command} takes no --${unknown}`
}

describe('the manager lines of pages', () => {
  const found = new Map<string, string>()
  for (const page of pages) {
    const text = readFileSync(path.join(packageRoot, page), 'utf8')
    const fenced = [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].map(([, inner = '']) => inner).join('\n')
    for (const [, line = ''] of [...fenced.matchAll(daemonLines), ...text.matchAll(daemonSpans)]) found.set(line, page)
  }
  for (const [line, page] of found)
    it(`\`${line.replaceAll('\n', ' ')}\` is a command (${page})`, () => {
      expect(wrongIn(wordsOf(line))).to.equal(undefined)
    })

  it('are found', () => {
    expect(found.size).to.be.above(20)
  })

  it('are refused where the daemon knows no such word', () => {
    expect(wrongIn(['explain', 'x'])).to.equal('no command: explain')
    expect(wrongIn(['backup-state', 'FILE', '--key', 'x'])).to.equal('backup-state takes no --key')
    expect(wrongIn(['doctor', '--fix'])).to.equal('doctor takes no --fix')
    expect(wrongIn(['restore-state', 'FILE', '--plain'])).to.equal('restore-state takes no --plain')
  })
})
