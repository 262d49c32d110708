// A binary log that was deleted and begun again is recognised by its end, also where its GTIDs have grown past the old ones.
import { expect } from 'chai'
import { lostByPrimary, rememberHeld } from '../../../../../lib/decide/situation/history/history.js'
import { freshMemory, type Memory } from '../../../../../lib/model/memory.js'
import { formatSet } from '../../../../../lib/model/server/gtid.js'
import type { SlowReading } from '../../../../../lib/model/server/reading.js'
import { primary, replica, settings } from '../../../../support/simulator/situation.js'

/** What the primary shows: its history, and where its binary log ends. */
type Sight = readonly [executed: string, file: string, position: number, at: number]

/** What the primary has lost after it was seen so, one sight after the other. */
function lostAfter(...sights: readonly Sight[]): string {
  let memory: Memory = { ...freshMemory, primary: 'db1' }
  let lost = ''
  for (const [executed, binlogFile, binlogPosition, at] of sights) {
    const slow = { server: 'db1', at, tookMs: 0, binlogFile, binlogPosition } as SlowReading
    const source = { ...primary(1, { executed }), slow, stateAt: at, probeMs: 0 }
    const held = rememberHeld(memory, {
      servers: [source, replica(2)],
      topology: 'primary-replica',
      settings,
    })
    memory = { ...memory, ...(held ? { held } : {}) }
    lost = formatSet(lostByPrimary({ memory }, source))
  }
  return lost
}

const first: Sight = ['0-1-90', 'bin.000007', 900, 1_000]
const grown: Sight = ['0-1-100', 'bin.000007', 1_000, 2_000]

describe('the end of the binary log of the primary', () => {
  const rows: Readonly<Record<string, readonly [Sight, string]>> = {
    'goes on in the file': [['0-1-120', 'bin.000007', 1_100, 3_000], ''],
    'goes on in the next file': [['0-1-120', 'bin.000008', 300, 3_000], ''],
    'has another name': [['0-1-120', 'binlog.000001', 300, 3_000], ''],
    'is not read': [['0-1-120', '', 0, 3_000], ''],
    'is in an earlier file': [['0-1-120', 'bin.000001', 5_000, 3_000], '0-1:1-100'],
    'is earlier in the file': [['0-1-120', 'bin.000007', 300, 3_000], '0-1:1-100'],
    'is of a reading from before': [['0-1-120', 'bin.000001', 300, 1_500], ''],
  }
  for (const [title, [sight, lost]] of Object.entries(rows))
    it(`${title}: ${lost === '' ? 'nothing is lost' : `${lost} may name other transactions`}`, () => {
      expect(lostAfter(first, grown, sight)).to.equal(lost)
    })

  it('stays known when the log has grown past it', () => {
    const later: Sight = ['0-1-220', 'bin.000009', 1_100, 4_000]
    expect(lostAfter(first, grown, ['0-1-120', 'bin.000001', 300, 3_000], later)).to.equal('0-1:1-100')
  })

  it('is not judged by what was read before the record began', () => {
    expect(lostAfter(first, ['0-1-120', 'bin.000001', 300, 2_000])).to.equal('')
  })
})
