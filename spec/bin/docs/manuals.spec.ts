// The pages of the manual stand as they are printed, and a formatter finds nothing to say about them.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { manuals } from '../../../bin/docs/documents.js'
import { sharePath } from '../../../lib/base/package-root.js'

const run = promisify(execFile)
const pages = manuals()

describe('manuals', () => {
  it('stand under share/man as they are printed; npm run docs writes them anew', () => {
    const kept = Object.fromEntries(
      readdirSync(sharePath('man')).map((name) => [name, readFileSync(sharePath('man', name), 'utf8')]),
    )
    expect(Object.keys(kept)).to.have.members(Object.keys(pages))
    for (const [name, text] of Object.entries(pages)) expect(kept[name], name).to.equal(text)
  })

  it('begin and end as pages do, and hold no character that a formatter reads otherwise', () => {
    for (const [name, text] of Object.entries(pages)) {
      const lines = text.trimEnd().split('\n')
      expect(lines[1], name).to.match(/^\.TH [A-Z\\-]+ 1 /)
      expect(lines[3], name).to.equal('.SH NAME')
      expect(lines[4], name).to.match(/^[a-z\\-]+ \\- \S/)
      expect(text, name).to.match(/^[\x20-\x7e\n]+$/)
      for (const line of lines) expect(line, name).to.match(/^(\.(\\"|TH|SH|SS|TP|PP|B|I|BR|RI|ad|br)( |$)|[^.'])/)
    }
  })

  it('tell of every command and every verb', () => {
    const whole = Object.values(pages).join('\n').replaceAll('\\-', '-')
    for (const words of ['wait', 'switchover', 'list', 'reset-sla', '--api-token', 'NO_COLOR', 'EXIT STATUS'])
      expect(whole).to.contain(words)
  })

  it('are formatted without a warning, and read as they are meant', async () => {
    const files = Object.keys(pages).map((name) => sharePath('man', name))
    const { stdout, stderr } = await run('groff', ['-man', '-Tutf8', '-ww', '-P-cbu', ...files], {
      maxBuffer: 64 * 1024 * 1024,
    })
    expect(stderr).to.equal('')
    expect(stdout.match(/^NAME$/gm)).to.have.length(files.length)
    expect(stdout).to.match(/--query <path>/)
    expect(stdout).to.contain('[?readOnly]')
  })
})
