// Replies are read alike however their bytes are cut.
import { expect } from 'chai'
import { type Reply, ReplyReader } from '../../../lib/connect/reply-reader.js'
import { answer, packet } from '../../support/packets.js'

const long = 'é'.repeat(30_000)
const replica = [{ name: 'db1', port: 3306, error: null, note: '' }]
const rows = [
  { name: 'db1', port: 3306, error: null, note: 'zwölf' },
  { name: 'db2', port: 0, error: 'x'.repeat(250), note: 'x'.repeat(251) },
  { name: 'db2', port: -7, error: null, note: long },
]
const refusal = packet(9, Buffer.concat([Buffer.from([0xff, 0x7a, 0x04]), Buffer.from('#42S02no such table')]))

/** Gives the reader the bytes in two pieces. */
function readCut(bytes: Buffer, cut: number): Reply | undefined {
  const reader = new ReplyReader()
  const taken = reader.read(bytes.subarray(0, cut), 0)
  reader.read(bytes.subarray(taken), 0)
  return reader.reply
}

describe('ReplyReader', () => {
  it('reads results with rows, without rows and of other columns, one after the other', () => {
    const reader = new ReplyReader()
    const bytes = answer([rows, undefined, replica])
    expect(reader.read(bytes, 0)).to.equal(bytes.length)
    expect(reader.reply).to.deep.equal({ rows: [rows, [], replica] })
  })

  it('reads the same wherever the bytes are cut', () => {
    const bytes = answer([replica, undefined, replica])
    for (let cut = 0; cut < bytes.length; cut += 1)
      expect(readCut(bytes, cut), `cut at ${cut}`).to.deep.equal({ rows: [replica, [], replica] })
  })

  it('ends with the error of a later statement', () => {
    const reader = new ReplyReader()
    const first = answer([[{ one: 1 }], [{ two: 2 }]])
    const secondAt = first.length - answer([[{ two: 2 }]]).length
    reader.read(Buffer.concat([first.subarray(0, secondAt), refusal]), 0)
    expect(reader.reply).to.deep.equal({ error: { errno: 1146, sqlMessage: 'no such table' } })
  })

  it('leaves alone what belongs to the next answer', () => {
    const [one, two] = [answer([replica]), answer([rows])]
    const reader = new ReplyReader()
    expect(reader.read(Buffer.concat([one, two]), 0)).to.equal(one.length)
    expect(reader.reply).to.deep.equal({ rows: [replica] })
  })

  it('refuses to give a file away', () => {
    expect(() => new ReplyReader().read(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')), 0)).to.throw('local file')
  })
})
