import { expect } from 'chai'
import { dumpPacket } from '../../../../lib/connect/sql/binlog-dump.js'

describe('dumpPacket', () => {
  it('asks as the replica of a server_id, for a file from a position on', () => {
    const packet = dumpPacket({ file: 'bin.000007', offset: 4_321, serverId: 4_000_000_123, flags: 2 } as never)
    expect(packet.readUIntLE(0, 3)).to.equal(packet.length - 4)
    expect(packet[4]).to.equal(0x12)
    expect([packet.readUInt32LE(5), packet.readUInt16LE(9), packet.readUInt32LE(11)]).to.deep.equal([
      4_321, 2, 4_000_000_123,
    ])
    expect(packet.toString('utf8', 15)).to.equal('bin.000007')
  })
})
