// What a saved binary log holds, read from the text of the tools.
import { expect } from 'chai'
import { TailReader } from '../../../../lib/effect/returns/read-tail.js'

const factsOf = (lines: readonly string[]) => {
  const reader = new TailReader()
  for (const line of lines) reader.take(line)
  return reader.facts()
}

describe('TailReader', () => {
  it('dates the tail by its first transaction, whatever was written to the log before', () => {
    const lines = [
      '#261124  6:01:00 server id 1  end_log_pos 256 CRC32 0x1 \tStart: binlog v 4',
      '#261124  6:14:29 server id 1  end_log_pos 372 CRC32 0x2 \tGTID 0-1-5 trans',
      '#261124  6:15:00 server id 1  end_log_pos 600 CRC32 0x3 \tGTID 0-1-6 trans',
    ]
    expect(factsOf(lines).since).to.equal(Date.UTC(2026, 10, 24, 6, 14, 29) / 1000)
    const mysql = '#260102 15:04:05 server id 2  end_log_pos 235 CRC32 0x4 \tGTID\tlast_committed=1\tsequence_number=2'
    expect(factsOf([mysql]).since).to.equal(Date.UTC(2026, 0, 2, 15, 4, 5) / 1000)
    expect(factsOf([]).since).to.equal(undefined)
  })

  it('knows by the list at the beginning of a log what a stream of MariaDB had before, and that between its transactions is none', () => {
    const head = '#261124 10:42:35 server id 7  end_log_pos'
    const event = (gtid: string) => `${head} 362 CRC32 0x7ac18c81 \tGTID ${gtid} trans`
    const list = [`${head} 331 CRC32 0x0d940ce1 \tGtid list [0-7-50,`, '# 0-9-41,', '# 4-7-1]']
    const later = ['0-7-51', '0-2-52', '0-7-60'].map(event)
    expect(factsOf([...list, ...later]).gtids, 'its first number is that of its domain').to.deep.equal({
      '0-7': [[51, 60]],
      '0-2': [[1, 52]],
    })
    expect(factsOf([`${head} 285 CRC32 0x1 \tGtid list []`, event('0-2-88')]).gtids).to.deep.equal({ '0-2': [[1, 88]] })
    expect(factsOf([event('0-2-88'), ...list, event('0-2-99')]).gtids, 'read from the middle of a log').to.deep.equal({
      '0-2': [[88, 99]],
    })
  })

  it('does not count what a log between two of MariaDB held, which is missing', () => {
    const head = '#261124 10:42:35 server id 7  end_log_pos'
    const event = (gtid: string) => `${head} 362 CRC32 0x7ac18c81 \tGTID ${gtid} trans`
    const list = (text: string) => `${head} 331 CRC32 0x0d940ce1 \tGtid list [${text}]`
    expect(factsOf([list('0-7-50'), event('0-7-51'), list('0-7-60'), event('0-7-61')]).gtids).to.deep.equal({
      '0-7': [
        [51, 51],
        [61, 61],
      ],
    })
    expect(factsOf([list('0-7-50'), event('0-7-51'), list('0-7-51'), event('0-7-55')]).gtids).to.deep.equal({
      '0-7': [[51, 55]],
    })
  })
})
