// Which replicas are named as open after their next start.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import type { Memory } from '../../../../lib/model/memory.js'
import { nothingNamed } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { crash, NOW, primary, replica, situation } from '../../../support/simulator/situation.js'

/** A reading that took no time to speak of. */
const INSTANT = 1

const slow = (more: Partial<SlowReading>): SlowReading => ({
  ...{ server: 'db2', at: NOW, tookMs: INSTANT, variables: nothingNamed, status: nothingNamed, plugins: [] },
  ...{ binlogFile: '', binlogPosition: 0, binlogDoDb: '', binlogIgnoreDb: '', dumpThreads: 0, statementHistory: false },
  ...{ binlogs: { count: 0, oldest: '', files: [] } },
  ...more,
})
const byStatement = slow({ readOnlySet: { on: true, byStatement: true } })
const kept = (on: boolean) => slow({ readOnlySet: { on: true, byStatement: true, kept: on } })
const byStart = slow({ readOnlySet: { on: true, byStatement: false } })

const named = (second: ServerSnapshot, memory: Partial<Memory> = {}): readonly string[] =>
  situation([primary(), second], { memory }).snapshot.findings.flatMap(({ code, server = '' }) =>
    code === 'WARN0271' ? [server] : [],
  )
const closed = { state: { readOnly: true, uptimeSeconds: 1_000 } }

describe('WARN0271', () => {
  it('names a replica whose read_only was set by a statement', () => {
    expect(named(replica(2, { ...closed, server: { slow: byStatement } }))).to.deep.equal(['db2'])
  })

  for (const [what, server] of [
    ['its start set it', replica(2, { ...closed, server: { slow: byStart } })],
    ['SET PERSIST has kept it', replica(2, { ...closed, server: { slow: kept(true) } })],
    ['the origin could not be read', replica(2, { ...closed, server: { slow: slow({}) } })],
    [
      'it restarted since the origin was read',
      replica(2, { ...closed, server: { slow: byStatement, restartedAt: NOW + 1 } }),
    ],
    ['it may be writable', replica(2, { ...closed, server: { slow: byStatement, readOnlyIgnored: true } })],
    ['it is writable now', replica(2, { state: { readOnly: false }, server: { slow: byStatement } })],
    ['it is in maintenance', replica(2, { ...closed, server: { slow: byStatement, maintenance: true } })],
  ] as const)
    it(`names none where ${what}`, () => {
      expect(named(server)).to.deep.equal([])
    })

  it('names one that starts open by SET PERSIST, whatever its start was', () => {
    const server = replica(2, { ...closed, server: { slow: kept(false), startedReadOnly: true } })
    expect(named(server)).to.deep.equal(['db2'])
  })

  it('names no primary, whose read_only a statement cleared', () => {
    const first = primary(1, {}, { slow: slow({ server: 'db1', readOnlySet: { on: false, byStatement: true } }) })
    const { findings } = situation([first, replica(2)]).snapshot
    expect(findings.map(({ code }) => code)).to.not.include('WARN0271')
  })

  it('names one that started open, also where the manager closed it since', () => {
    const started = replica(2, { ...closed, server: { slow: byStatement, startedReadOnly: false } })
    expect(named(started, { fenced: { db2: { at: NOW - 500 * SECOND } } })).to.deep.equal(['db2'])
    expect(named(replica(2, { ...closed, server: { slow: byStatement, startedReadOnly: true } }))).to.deep.equal([])
  })

  const server = replica(2, { ...closed, server: { slow: byStatement } })
  const moved = (at: number) => ({ history: [crash({ at, oldPrimary: 'db2', newPrimary: 'db1' })] })
  for (const [what, memory] of [
    ['closed it as it moved the role', moved(NOW - 500 * SECOND)],
    ['closed it by another operation', { fenced: { db2: { at: NOW - 500 * SECOND } } }],
    ['lost its memory', { recovered: true }],
    ['brings it back', { returns: { db2: {} as never } }],
  ] as const)
    it(`names none where the manager ${what} before it read what set read_only`, () => {
      expect(named(server, memory)).to.deep.equal([])
    })

  it('names one that the manager closed before its present start only', () => {
    expect(named(server, moved(NOW - 2_000 * SECOND))).to.deep.equal(['db2'])
  })
})
