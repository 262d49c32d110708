import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import {
  closedMode,
  fileKinds,
  folderKinds,
  hostUmasks,
  hostWrites,
  isOpenToOthers,
  isWrittenByOthers,
  modeOf,
} from '../../../../lib/base/files/modes.js'
import { packageRoot } from '../../../../lib/base/package-root.js'

const TABLE = 'lib/base/files/modes.ts'

/** Programs that build the package: what they write is the builder's. */
const build = /^bin\/(build|release)\.ts$|^bin\/(docs|dashboard)\/|^actors\/archive\/read-rules\.ts$/

const filesBelow = (folder: string, suffix: string): readonly string[] =>
  readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(suffix))
    .map((name) => path.join(folder, name))

const sources = ['lib', 'actors', 'http', 'bin']
  .flatMap((folder) => filesBelow(folder, '.ts'))
  .filter((file) => !file.endsWith('.d.ts'))
const textOf = (file: string): string => readFileSync(path.join(packageRoot, file), 'utf8')

/** Functions of node:fs that make a file or a folder, and what in their arguments gives it a mode. */
const writers: readonly { readonly name: string; readonly gives: RegExp; readonly reads?: RegExp }[] = [
  { name: 'mkdir', gives: /\bmode\b/ },
  { name: 'writeFile', gives: /\bmode\b/ },
  { name: 'appendFile', gives: /\bmode\b/ },
  { name: 'createWriteStream', gives: /\bmode\b|\bfd:/ },
  { name: 'open', gives: /\bmodeOf\(|\bmode\b/, reads: /^[^,]*$|, 'r\+?'$|O_RDONLY/ },
]

/** The arguments of each call of a function that the file has from node:fs. */
function callsOf(text: string, name: string): readonly string[] {
  const names = [name, `${name}Sync`].filter((each) =>
    new RegExp(`import \\{[^}]*\\b${each}\\b[^}]*\\} from 'node:fs(/promises)?'`).test(text),
  )
  return names.flatMap((each) =>
    [...text.matchAll(new RegExp(`(?<![.\\w#])${each}\\(`, 'g'))].map(({ 0: call, index }) =>
      argumentsAt(text, index + call.length),
    ),
  )
}

function argumentsAt(text: string, start: number): string {
  let depth = 1
  let end = start
  for (; depth > 0 && end < text.length; end += 1)
    depth += '([{'.includes(text[end] ?? '') ? 1 : ')]}'.includes(text[end] ?? '') ? -1 : 0
  return text.slice(start, end - 1)
}

describe('modes of files', () => {
  it('stand in the table and nowhere else', () => {
    const strays = sources
      .filter((file) => file !== TABLE)
      .flatMap((file) =>
        textOf(file)
          .split('\n')
          .filter((line) =>
            /\b0o[0-7]{3,4}\b|\b(mode|chmod\w*|umask)\b[:=( ]+['"]?\d{3,4}\b/.test(
              line.replace(/\/\/.*|^\s*\/?\*.*/, ''),
            ),
          )
          .map((line) => `${file}: ${line.trim()}`),
      )
    expect(strays.filter((line) => !isSaid(line))).to.deep.equal([])
  })

  it('are given by every writer', () => {
    const without = sources
      .filter((file) => !build.test(file))
      .flatMap((file) => {
        const text = textOf(file)
        return writers.flatMap(({ name, gives, reads }) =>
          callsOf(text, name)
            .filter((given) => !gives.test(given) && !(reads?.test(given.trim()) ?? false))
            .map((given) => `${file}: ${name}(${given})`),
        )
      })
    expect(without).to.deep.equal([])
  })

  it('close what has secrets or rows to users outside of the group, and nothing is written by another user', () => {
    for (const [name, kind] of Object.entries({ ...fileKinds, ...folderKinds })) {
      if (kind.isSecret) expect(isOpenToOthers(kind.mode), name).to.equal(false)
      if (name !== 'link') expect(isWrittenByOthers(kind.mode), name).to.equal(false)
    }
    expect(isOpenToOthers(closedMode(modeOf('program')))).to.equal(false)
  })

  it('are those of the table in the rules of configurations', () => {
    const table = new Set(Object.values({ ...fileKinds, ...folderKinds }).map(({ mode }) => mode))
    const given = filesBelow('share/rules', '.yaml').flatMap((file) =>
      [...textOf(file).matchAll(/\bmode: '(0[0-7]{3})'/g)].map(([, mode = '']) => Number.parseInt(mode, 8)),
    )
    expect(given).not.to.deep.equal([])
    expect(given.filter((mode) => !table.has(mode))).to.deep.equal([])
  })

  it('are those of the table in the scripts of hosts, which open no private folder', () => {
    const scripts = filesBelow('share/scripts', '.sh').map(
      (file) => [path.relative('share/scripts', file), textOf(file)] as const,
    )
    const modes = scripts.flatMap(([script, text]) =>
      [...text.matchAll(/\b(?:chmod|mkdir -m|install -m) ([0-7]{3,4})\b/g)].map(
        ([, mode = '']) => `${script} ${mode.padStart(4, '0')}`,
      ),
    )
    const rows = hostWrites.map(({ script, kind }) => `${script} 0${modeOf(kind).toString(8)}`)
    expect([...new Set(modes)].toSorted()).to.deep.equal(rows.toSorted())
    expect(
      Object.fromEntries(
        scripts.flatMap(([script, text]) => [...text.matchAll(/\bumask (\d+)/g)].map(([, umask]) => [script, umask])),
      ),
    ).to.deep.equal(Object.fromEntries(Object.entries(hostUmasks).map(([script, { umask }]) => [script, umask])))
  })
})

/** Text for people: what to do about a mode. */
const isSaid = (line: string): boolean => /set mode \d{4}|set it to \d{3}|\bmode 0\d{3}\b|chmod 0?\d{3} \$/.test(line)
