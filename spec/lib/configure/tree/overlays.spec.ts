import { expect } from 'chai'
import { checkOverlay, emptyOverlay, mergePreserved, overlayNames } from '../../../../lib/configure/index.js'

const server = { id: 'db7', host: 'db1', port: 3306 }

describe('mergePreserved', () => {
  const own = '[mysqld]\nback_log = 5\n'

  it("puts the cluster's variables before the server's own, which win", () => {
    expect(mergePreserved('[mysqld]\nback_log = 9\n', own, server)).to.equal(`[mysqld]\nback_log = 9\n\n${own}`)
  })

  it('leaves out what is excluded for the server, by id or address, in any spelling of the variable', () => {
    for (const list of ['db7', 'db8, db1:3306'])
      expect(
        mergePreserved(`# back-log.exclude = ${list}\n[mysqld]\nloose_back_log = 9\nport = 1\n`, own, server),
      ).to.equal(`# back-log.exclude = ${list}\n[mysqld]\nport = 1\n\n${own}`)
    expect(mergePreserved('# back_log.exclude = db8\n[mysqld]\nback_log = 9\n', own, server)).to.contain('back_log = 9')
  })

  it('is the text of the server where the cluster preserves nothing', () => {
    expect(mergePreserved('# only words\n[mysqld]\n', own, server)).to.equal(own)
  })
})

describe('checkOverlay', () => {
  for (const [text, fault] of [
    ['', undefined],
    ['# a comment\n; another\n\n[mysqld]\nskip_name_resolve\nback_log=5\n[mysqld-10.11] # why\nport = 1\n', undefined],
    ['[mysqld]\r\nport = 1\r\n', undefined],
    ['port = 1\n', 'line 1 is above the first group: write [mysqld] first'],
    ['[mysqld]\nport\n= 3\n', 'line 3 is neither a group nor name = value'],
    ['[mysqld]\nno words here\n', 'line 2 is neither a group nor name = value'],
    ['[mysqld\nport = 1\n', 'line 1 is neither a group nor name = value'],
  ] as const)
    it(`reports for ${JSON.stringify(text)}: ${fault ?? 'nothing'}`, () => {
      expect(checkOverlay(text)).to.equal(fault)
    })

  it('finds nothing wrong with what is written where there is no overlay', () => {
    expect(overlayNames.map((name) => checkOverlay(emptyOverlay(name)))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
  })
})
