// What the build of the dashboard may weigh: gzip bytes of its files, read from the build itself.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { builtPath } from '../../../lib/base/package-root.js'

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
}

const folder = builtPath('dashboard')
const manifest: Readonly<Record<string, Chunk>> = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))

const KB = 1_000

const packed = (file: string): number => statSync(path.join(folder, `${file}.gz`)).size

/** Chunks that are loaded with one, itself first. */
function loadedWith(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const other of manifest[name]?.imports ?? []) loadedWith(other, seen)
  return seen
}

function weigh(names: Iterable<string>): { readonly js: number; readonly css: number; readonly files: number } {
  const chunks = [...names].flatMap((name) => manifest[name] ?? [])
  const js = new Set(chunks.map(({ file }) => file))
  const css = new Set(chunks.flatMap((chunk) => chunk.css ?? []))
  const sum = (files: ReadonlySet<string>) => [...files].reduce((all, file) => all + packed(file), 0)
  return { js: sum(js), css: sum(css), files: js.size + css.size }
}

describe('the weight of the dashboard', () => {
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry) ?? ''
  const first = loadedWith(entry)

  it('is at most 35 kB of scripts and 10 kB of styles at first, in four requests with the page, whose icon is part of it', () => {
    const { js, css, files } = weigh(first)
    expect(js, 'scripts').to.be.within(1, 35 * KB)
    expect(css, 'styles').to.be.within(1, 10 * KB)
    expect(files + 1, 'requests').to.be.at.most(4)
    expect(readFileSync(path.join(folder, 'index.html'), 'utf8')).to.include('<link rel="icon" href="data:')
  })

  it('is at most 20 kB more for any page that is opened, 25 kB for the first chart', () => {
    for (const name of Object.keys(manifest).filter(
      (each) => !first.has(each) && manifest[each]?.file.endsWith('.js'),
    )) {
      const more = [...loadedWith(name)].filter((each) => !first.has(each))
      expect(weigh(more).js, name).to.be.at.most((name.startsWith('src/parts/chart/') ? 25 : 20) * KB)
    }
  })

  it('is at most 230 kB in all', () => {
    const all = readdirSync(path.join(folder, 'assets')).filter((name) => name.endsWith('.gz'))
    const sum = all.reduce((bytes, name) => bytes + statSync(path.join(folder, 'assets', name)).size, 0)
    expect(sum).to.be.within(1, 230 * KB)
  })

  it('has a packed form beside every file, and names with a digest', () => {
    const names = readdirSync(path.join(folder, 'assets'))
    const plain = names.filter((name) => !/\.(?:br|gz)$/.test(name))
    expect(plain.filter((name) => !/-[\w-]{8}\.[a-z]+$/.test(name))).to.deep.equal([])
    expect(plain.filter((name) => !names.includes(`${name}.br`) || !names.includes(`${name}.gz`))).to.deep.equal([])
  })

  it('has no script and no style in the text of the page', () => {
    const html = readFileSync(path.join(folder, 'index.html'), 'utf8')
    expect(html).not.to.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i)
  })
})
