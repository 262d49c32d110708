// Positions from what programs write.
import { expect } from 'chai'
import { splitWords } from '../../../../../lib/backup/method/words.js'
import {
  dumpPosition,
  isWholeMetadata,
  metadataPosition,
  physicalFacts,
  withApplied,
} from '../../../../../lib/dialect/shared/backup/backup-position.js'

describe('dumpPosition', () => {
  for (const [what, text, position] of [
    [
      'mariadb-dump, its GTID at the end',
      "-- CHANGE MASTER TO MASTER_USE_GTID=slave_pos;\n-- CHANGE MASTER TO MASTER_LOG_FILE='bin.000001', MASTER_LOG_POS=1079;\nINSERT …\n-- SET GLOBAL gtid_slave_pos='0-1-5,1-2-7';\n",
      { file: 'bin.000001', offset: 1079, gtid: '0-1-5,1-2-7' },
    ],
    [
      'mysqldump, its GTIDs over several lines',
      "/* SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ 'aa-1:1-5,\nbb-2:1-7';*/\n-- CHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='binlog.000003', SOURCE_LOG_POS=157;",
      { file: 'binlog.000003', offset: 157, gtid: 'aa-1:1-5,bb-2:1-7' },
    ],
    [
      'MySQL 9',
      "SET @@GLOBAL.GTID_PURGED='+aa-1:1-5';\nCHANGE REPLICATION SOURCE TO SOURCE_LOG_FILE='binlog.000003', SOURCE_LOG_POS=157;",
      { file: 'binlog.000003', offset: 157, gtid: 'aa-1:1-5' },
    ],
    ['a dump without one', '-- MariaDB dump 10.19', undefined],
  ] as const)
    it(`reads ${what}`, () => {
      expect(dumpPosition(text)).to.deep.equal(position)
    })
})

describe('withApplied', () => {
  for (const [what, gtids, applied, whole] of [
    ['is that of the copy where it names every domain', '0-1-9,1-2-7', '0-1-5,1-2-7', '0-1-9,1-2-7'],
    ['gets the domains that the log of a filled replica does not name yet', '1-2-7', '0-1-5,1-2-3', '1-2-7,0-1-5'],
    ['is that of the replica where its log is empty', '', '0-1-5', '0-1-5'],
    ['stays empty for a server without transactions', '', '', ''],
  ] as const)
    it(what, () => {
      expect(withApplied(gtids, applied)).to.equal(whole)
    })
})

describe('metadataPosition', () => {
  it('is the one of the server itself, not of its source', () => {
    const text =
      'Started dump at: 2026-11-23 18:09:12\nSHOW MASTER STATUS:\n\tLog: bin.000001\n\tPos: 1079\n\tGTID:0-1-5\n\n' +
      'SHOW SLAVE STATUS:\n\tHost: db1\n\tLog: other.000009\n\tPos: 4\n\tGTID:0-1-4\n\nFinished dump at: 2026-11-23 18:09:12\n'
    expect(metadataPosition(text)).to.deep.equal({ file: 'bin.000001', offset: 1079, gtid: '0-1-5' })
    expect(isWholeMetadata(text)).to.equal(true)
    expect(isWholeMetadata(text.replace(/Finished.*/, ''))).to.equal(false)
  })
})

describe('physicalFacts', () => {
  const about =
    "tool_version = 10.11.19-MariaDB\nbinlog_pos = filename 'bin.000001', position '1079', GTID of the last change '0-1-5'\n"

  it('has the log sequence numbers and the position', () => {
    expect(physicalFacts('from_lsn = 0\nto_lsn = 44404\nlast_lsn = 47029\n', about)).to.deep.equal({
      toolVersion: '10.11.19-MariaDB',
      lsn: { from: '0', to: '44404' },
      position: { file: 'bin.000001', offset: 1079, gtid: '0-1-5' },
    })
  })

  it('is nothing where the checkpoints are not whole', () => {
    expect(physicalFacts('from_lsn = 0\n', about)).to.equal(undefined)
  })
})

describe('splitWords', () => {
  it('splits at blanks, but not within quotes', () => {
    expect(splitWords(`--quick  --where="id > 5" '--regex=^(a b)' -t2`)).to.deep.equal([
      ...['--quick', '--where=id > 5', '--regex=^(a b)', '-t2'],
    ])
  })
})
