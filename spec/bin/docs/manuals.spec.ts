// The pages of the manual are well formed, and a formatter prints them without a warning.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { manuals } from '../../../bin/docs/documents.js'
import { newDirectory } from '../../support/machine/directories.js'

const run = promisify(execFile)
const pages = manuals()

describe('manuals', () => {
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

  it('describe every command and every verb', () => {
    const whole = Object.values(pages).join('\n').replaceAll('\\-', '-')
    for (const words of ['wait', 'switchover', 'list', 'reset-sla', '--api-token', 'NO_COLOR', 'EXIT STATUS'])
      expect(whole).to.contain(words)
  })

  it('are formatted without a warning, and read as they are meant', async () => {
    const folder = newDirectory('man')
    const files = Object.keys(pages).map((name) => path.join(folder, name))
    for (const [name, text] of Object.entries(pages)) writeFileSync(path.join(folder, name), text)
    const { stdout, stderr } = await run('groff', ['-man', '-Tutf8', '-ww', '-P-cbu', ...files], {
      maxBuffer: 64 * 1024 * 1024,
    })
    expect(stderr).to.equal('')
    expect(stdout.match(/^NAME$/gm)).to.have.length(files.length)
    expect(stdout).to.match(/--query <path>/)
    expect(stdout).to.contain("[?state=='Master']")
  })
})
