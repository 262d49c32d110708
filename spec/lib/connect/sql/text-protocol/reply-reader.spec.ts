// Replies are read the same however their bytes are cut.
import { expect } from 'chai'
import { type KnownLists, ReplyReader } from '../../../../../lib/connect/sql/text-protocol/reply-reader.js'
import type { Reply } from '../../../../../lib/connect/sql/wire.js'
import { answer, packet } from '../../../../support/canned/packets.js'

const long = 'é'.repeat(30_000)
const replica = [{ name: 'db1', port: 3306, error: null, note: '' }]
const rows = [
  { name: 'db1', port: 3306, error: null, note: 'zwölf' },
  { name: 'db2', port: 0, error: 'x'.repeat(250), note: 'x'.repeat(251) },
  { name: 'db2', port: -7, error: null, note: long },
]
const refusal = packet(9, Buffer.concat([Buffer.from([0xff, 0x7a, 0x04]), Buffer.from('#42S02no such table')]))

/** Gives the reader the bytes in two pieces. */
function readCut(bytes: Buffer, cut: number, known: KnownLists = []): Reply | undefined {
  const reader = new ReplyReader(known)
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

  it('leaves the bytes of the next answer', () => {
    const [one, two] = [answer([replica]), answer([rows])]
    const reader = new ReplyReader()
    expect(reader.read(Buffer.concat([one, two]), 0)).to.equal(one.length)
    expect(reader.reply).to.deep.equal({ rows: [replica] })
  })

  describe('of a session with earlier replies', () => {
    const read = (known: KnownLists, lists: Parameters<typeof answer>[0]) => {
      const reader = new ReplyReader(known)
      const bytes = answer(lists)
      expect(reader.read(bytes, 0)).to.equal(bytes.length)
      if (!reader.reply || !('rows' in reader.reply)) throw new Error('no rows')
      return reader.reply.rows
    }
    const [one, other] = [[{ id: 1, name: 'a' }], [{ id: 1, name: 'b' }]]

    it('returns the earlier list for an equal one, beside others that differ', () => {
      const known: KnownLists = []
      const first = read(known, [one, replica, undefined, []])
      const second = read(known, [one, [{ ...replica[0], note: 'new' }], undefined, []])
      expect(second).to.deep.equal([one, [{ ...replica[0], note: 'new' }], [], []])
      expect(second.map((list, index) => list === first[index])).to.deep.equal([true, false, false, true])
    })

    it('parses again what differs in one byte, in length or in its columns', () => {
      const known: KnownLists = []
      read(known, [one])
      for (const list of [other, [...one, ...one], [{ id: 1, title: 'a' }], [{ id: '1', name: 'a' }], [], one])
        expect(read(known, [list])).to.deep.equal([list])
    })

    it('knows whether more follows', () => {
      const known: KnownLists = []
      for (const lists of [[one], [one, other], [one, other], [one]]) expect(read(known, lists)).to.deep.equal(lists)
    })

    it('reads the same wherever the bytes are cut', () => {
      const known: KnownLists = []
      const bytes = answer([one, replica])
      new ReplyReader(known).read(bytes, 0)
      for (let cut = 0; cut < bytes.length; cut += 1)
        expect(readCut(bytes, cut, known), `cut at ${cut}`).to.deep.equal({ rows: [one, replica] })
    })

    it('keeps no list of many rows', () => {
      const known: KnownLists = []
      const five = Array.from({ length: 5 }, () => one[0] ?? {})
      expect(read(known, [one, five])).to.deep.equal([one, five])
      expect(known.map((list) => list?.rows)).to.deep.equal([one])
    })

    it('keeps neither long lists nor many', () => {
      const known: KnownLists = []
      read(known, [rows, one, one, one, one, one])
      expect(known.map((list) => list?.rows)).to.deep.equal([undefined, one, one, one])
    })
  })

  it('refuses to send a file', () => {
    expect(() => new ReplyReader().read(packet(1, Buffer.from('\xfb/etc/passwd', 'latin1')), 0)).to.throw('local file')
  })
})
