// A binary log that was deleted and begun again is recognised by its end, also where its GTIDs have grown past the old ones.
import { expect } from 'chai'
import { lostByPrimary, rememberHeld } from '../../../../../lib/decide/situation/history/history.js'
import { freshMemory, type Memory } from '../../../../../lib/model/memory.js'
import { formatSet, noTransactions } from '../../../../../lib/model/server/gtid.js'
import type { SlowReading } from '../../../../../lib/model/server/reading.js'
import { acknowledgedSource, primary, replica, settings } from '../../../../support/simulator/situation.js'

/** What a reading took: nothing. */
const INSTANT = 0

/** What the primary shows: its history, and where its binary log ends. */
type Sight = readonly [executed: string, file: string, position: number, at: number]

/** What the primary has lost after it was seen so, one sight after the other. */
function lostAfter(...sights: readonly Sight[]): string {
  let memory: Memory = { ...freshMemory, primary: 'db1' }
  let lost = ''
  for (const [executed, binlogFile, binlogPosition, at] of sights) {
    const slow = { server: 'db1', at, tookMs: INSTANT, binlogFile, binlogPosition } as SlowReading
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

/** The files of the log with their sizes; the last one is written. */
type Files = readonly (readonly [name: string, bytes: number])[]

const readingOf = (files: Files, at: number): SlowReading => {
  const [binlogFile = '', binlogPosition = 0] = files.at(-1) ?? []
  const binlogs = { count: files.length, oldest: files[0]?.[0] ?? '', files }
  return { server: 'db1', at, tookMs: 0, binlogFile, binlogPosition, binlogs } as unknown as SlowReading
}

/** What a primary that came back with everything, and with these files, may have given again; `waiting`: no replica had its last transactions. */
function givenAgain(files: Files, { waiting = false, isOpen = true } = {}): string {
  const source = (executed: string, slow: SlowReading, readOnly = false) => ({
    ...primary(1, {
      executed,
      readOnly,
      ...(waiting ? { semiSync: { ...acknowledgedSource(1), waitPoint: 'after-sync' as const } } : {}),
    }),
    ...{ slow, stateAt: slow.at, probeMs: INSTANT },
  })
  const follower = replica(2, { received: waiting ? '0-1-90' : '0-1-100' })
  let memory: Memory = { ...freshMemory, primary: 'db1' }
  const see = (server: ReturnType<typeof source>): string => {
    const held = rememberHeld(memory, { servers: [server, follower], topology: 'primary-replica', settings })
    memory = { ...memory, ...(held ? { held } : {}) }
    return formatSet(memory.held?.forked ?? noTransactions)
  }
  const before = readingOf(BEFORE, 2_000)
  for (const at of [1_000, 2_000, 2_100, 2_200])
    see({ ...source('0-1-100', at < 2_000 ? readingOf(BEFORE, at) : before), stateAt: at })
  return see(source('0-1-120', readingOf(files, 4_000), !isOpen))
}

const BEFORE: Files = [
  ['bin.000006', 500],
  ['bin.000007', 1_000],
]

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

  const again: Readonly<Record<string, readonly [Files, string]>> = {
    'its file is as long': [[...BEFORE, ['bin.000008', 4_000]], ''],
    'its file has grown': [
      [
        ['bin.000006', 500],
        ['bin.000007', 1_100],
        ['bin.000008', 4_000],
      ],
      '',
    ],
    'its file was removed': [[['bin.000008', 4_000]], ''],
    'its file cannot be read': [
      [
        ['bin.000006', 500],
        ['bin.000007', 0],
        ['bin.000008', 4_000],
      ],
      '',
    ],
    'its file is shorter': [
      [
        ['bin.000006', 500],
        ['bin.000007', 900],
        ['bin.000008', 4_000],
      ],
      '0-1:1-100',
    ],
    'the file before it is another one': [
      [
        ['bin.000006', 400],
        ['bin.000007', 4_000],
      ],
      '0-1:1-100',
    ],
  }
  for (const [title, [files, set]] of Object.entries(again))
    it(`of which nothing is missing, ${title}: ${set === '' ? 'nothing was given again' : `some of ${set} were`}`, () => {
      expect(givenAgain(files)).to.equal(set)
    })

  it('shows nothing where it may have been taken back before any replica had it, nor of a primary that is closed', () => {
    const [shorter = []] = again['its file is shorter'] ?? []
    expect(givenAgain(shorter, { waiting: true })).to.equal('')
    expect(givenAgain(shorter, { isOpen: false })).to.equal('')
  })

  it('stays known when the log has grown past it', () => {
    const later: Sight = ['0-1-220', 'bin.000009', 1_100, 4_000]
    expect(lostAfter(first, grown, ['0-1-120', 'bin.000001', 300, 3_000], later)).to.equal('0-1:1-100')
  })

  it('is not judged by what was read before the record began', () => {
    expect(lostAfter(first, ['0-1-120', 'bin.000001', 300, 2_000])).to.equal('')
  })
})
