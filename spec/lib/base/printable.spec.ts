import { expect } from 'chai'
import { printable } from '../../../lib/base/printable.js'
import { loginFailure } from '../../../lib/connect/sql/failures.js'
import { parseChannel } from '../../../lib/dialect/mariadb/channel.js'
import { escapeLabel } from '../../../lib/metrics/labels.js'

const HIDDEN = ['\u202e', '\u009b', '\u0000', '\u001b', '\u200b', '\u2028', '\ufeff', '\u{e0001}', '\r']

describe('Text of servers', () => {
  it('keeps letters of every script, line feeds and tabs', () => {
    for (const text of ['Größe\tµs\n', '日本語', 'naïve – «é»', '', 'a\\b"c'])
      expect(printable(text), text).to.equal(text)
  })

  it('loses what is not shown, or turns the direction of what follows', () => {
    for (const one of HIDDEN) expect(printable(`a${one}b`), JSON.stringify(one)).to.equal('ab')
  })

  it('has none of it in messages of errors, errors of replication and labels of metrics', () => {
    const text = `no\u202e way${HIDDEN.join('')}`
    const refused = loginFailure({ errno: 1045, sqlMessage: text }, 'db1:3306')
    expect(refused.ok ? '' : refused.failure.message).to.equal('db1:3306: error 1045: no way')
    expect(escapeLabel(`${text}"\n`)).to.equal('no way\\"\\n')
    const channel = parseChannel({ Last_SQL_Errno: 1062, Last_SQL_Error: text }, {
      executed: {},
      replicated: {},
    } as never)
    expect(channel.sqlError).to.deep.equal({ code: 1062, message: 'no way' })
  })
})
