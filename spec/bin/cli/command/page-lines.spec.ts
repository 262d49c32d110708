// Every manager-cli line of README and of the pages for users is one that the client takes.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
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
