// The runbooks of open findings in the console.
import { expect } from 'chai'
import { type RunbookView, runbookLines } from '../../../../bin/cli/console/runbook-page.js'
import { textWidth } from '../../../../bin/cli/output/text-width.js'
import { runbooks } from '../../../../lib/model/findings/runbook/runbooks.js'

const alerts = {
  errors: [{ number: 'ERR00012', desc: 'No primary was found.' }],
  warnings: [
    { number: 'WARN0171', desc: 'A server does not answer.', server: 'db2' },
    { number: 'WARN0171', desc: 'A server does not answer.', server: 'db3' },
  ],
}

const texts = (view: RunbookView, columns = 80): readonly string[] =>
  runbookLines(view, columns).map((line) => line.map(({ text }) => text).join(''))

describe('runbookLines', () => {
  it('shows the page of each open finding once, errors first, with cluster and server in its commands', () => {
    const lines = texts({ cluster: 'shop', alerts, runbooks })
    expect(lines[0]).to.equal('ERR00012 No primary was found.')
    expect(lines.filter((line) => line.startsWith('WARN0171 '))).to.have.length(1)
    expect(lines.map((line) => line.trim())).to.include('manager-cli --cluster shop server start db2')
    expect(lines.every((line) => textWidth(line) <= 80)).to.equal(true)
  })

  it('says when nothing is open, and when the pages are still loading', () => {
    expect(texts({ cluster: 'shop' })).to.deep.equal(['No finding is open.'])
    expect(texts({ cluster: 'shop', alerts })).to.deep.equal(['Loading …'])
  })
})
