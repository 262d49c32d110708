import { expect } from 'chai'
import { readToml } from '../../../../lib/settings/load/toml.js'

describe('readToml', () => {
  it('gives every key with its section, file and line', () => {
    const { sections, faults } = readToml('# x\r\n[Default]\r\n"a" = 1\r\n\r\n["my.cluster"]\r\nb = "x"\r\n', 'f.toml')
    expect(faults).to.deep.equal([])
    const entries = sections.flatMap((section) =>
      section.entries.map(({ name, origin }) => [section.name, name, origin.line]),
    )
    expect(entries).to.deep.equal([
      ['Default', 'a', 3],
      ['my.cluster', 'b', 6],
    ])
  })

  it('is not misled by what looks like a key within a text', () => {
    const { sections } = readToml("[a]\ndoc = '''\nb = 1\n[c]\n'''\nb = 2\n", 'f.toml')
    expect(sections[0]?.entries.map(({ name, origin }) => [name, origin.line])).to.deep.equal([
      ['doc', 2],
      ['b', 6],
    ])
  })

  it('goes on after a syntax error and finds the others', () => {
    const { sections, faults } = readToml('[a]\nx = foo\ny = 2\nz 3\nlist = [1,\nw = 4\n', 'f.toml')
    expect(faults.map(({ origin }) => origin.line)).to.deep.equal([2, 4, 5])
    expect(sections[0]?.entries.map(({ name }) => name)).to.deep.equal(['y', 'w'])
  })

  it('names a value that is not finished at the end of the file, and keeps what stands above it', () => {
    for (const unfinished of ['[', '[ "a",', '"a', "'''", '{ b = 1,', '']) {
      const { sections, faults } = readToml(`[Default]\nx = 1\n\n[shop]\ny = 2\nlist = ${unfinished}\n\n`, 'f.toml')
      expect(
        faults.map(({ origin }) => origin.line),
        unfinished,
      ).to.include(6)
      expect(
        sections.map(({ name }) => name),
        unfinished,
      ).to.deep.equal(['Default', 'shop'])
    }
  })

  it('loses no section without a fault, wherever the file is cut', () => {
    const whole = `[Default]\nx = [\n  "a",\n  "b"\n]\ntext = '''\nlong\n'''\n[shop]\ny = { z = "1" }\n["other"]\nw = "a\\tb"\n`
    const silent: string[] = []
    for (let length = 0; length <= whole.length; length += 1)
      for (const end of ['', '\n', '\n\n']) {
        const text = whole.slice(0, length) + end
        const begun = [...text.matchAll(/^\["?(\w+)"?\]$/gm)].map(([, name = '']) => name)
        const { sections, faults } = readToml(text, 'f.toml')
        const read = sections.map(({ name }) => name)
        if (faults.length === 0 && begun.some((name) => !read.includes(name))) silent.push(text)
      }
    expect(silent).to.deep.equal([])
  })

  it('leaves out the section of a broken header', () => {
    const { sections, faults } = readToml('[a]\nx = 1\n[b\ny = 2\n[c]\nz = 3\n', 'f.toml')
    expect(faults.map(({ problem }) => problem)).to.have.length(1)
    expect(sections.map(({ name, entries }) => [name, entries.length])).to.deep.equal([
      ['a', 1],
      ['c', 1],
    ])
  })

  it('names a key and a section given twice', () => {
    const { faults } = readToml('[a]\nx = 1\nx = 2\n[a]\ny = 1\n', 'f.toml')
    expect(faults.map(({ origin }) => origin.line)).to.deep.equal([3, 4])
  })

  it('warns of keys outside of a section, refuses arrays of tables and names with bare dots', () => {
    const { faults, warnings } = readToml('x = 1\n[[a]]\ny = 1\n[b.c]\nz = 1\n', 'f.toml')
    expect(faults.map(({ origin, name }) => [origin.line, name])).to.deep.equal([
      [2, 'a'],
      [4, 'c'],
    ])
    expect(warnings.map(({ origin, name, foreign }) => [origin.line, name, foreign])).to.deep.equal([[1, 'x', true]])
    expect(readToml('x = 1\n', 'f.toml', 'saved').faults).to.have.length(1)
  })

  it('shows no secret of a line it cannot read', () => {
    const { faults } = readToml(
      '[a]\ndb-servers-credential = root:hidden\nmy-password = hidden\n[[x]]\ny = "hidden"\n',
      'f',
    )
    expect(faults).to.have.length(3)
    expect(JSON.stringify(faults)).not.to.contain('hidden')
  })

  it('never throws, whatever the file holds', () => {
    for (const text of ['', '\u0000', '"""', '[', ']', '=', '[a]\nx = """', '\uFEFF[a]', '['.repeat(5000)])
      expect(readToml(text, 'f.toml')).to.have.keys('sections', 'faults', 'warnings')
  })
})
