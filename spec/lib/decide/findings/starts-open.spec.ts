// Which replicas are named as open after their next start.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import type { Memory } from '../../../../lib/model/memory.js'
import { nothingNamed } from '../../../../lib/model/server/named.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { crash, NOW, primary, replica, situation } from '../../../support/simulator/situation.js'

const slow = (more: Partial<SlowReading>): SlowReading => ({
  ...{ server: 'db2', at: NOW, tookMs: 1, variables: nothingNamed, status: nothingNamed, plugins: [] },
  ...{ binlogFile: '', binlogPosition: 0, binlogDoDb: '', binlogIgnoreDb: '', dumpThreads: 0, statementHistory: false },
  ...{ binlogs: { count: 0, oldest: '', files: [] } },
  ...more,
})
const byStatement = slow({ readOnlyByStatement: true })

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
    ['its start set it', replica(2, { ...closed, server: { slow: slow({ readOnlyByStatement: false }) } })],
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

  it('names no primary, whose read_only a statement cleared', () => {
    const first = primary(1, {}, { slow: slow({ server: 'db1', readOnlyByStatement: true }) })
    const { findings } = situation([first, replica(2)]).snapshot
    expect(findings.map(({ code }) => code)).to.not.include('WARN0271')
  })

  it('names none that the manager closed as it moved the role, until it has started again', () => {
    const server = replica(2, { ...closed, server: { slow: byStatement } })
    const moved = (at: number) => ({ history: [crash({ at, oldPrimary: 'db2', newPrimary: 'db1' })] })
    expect(named(server, moved(NOW - 500 * SECOND))).to.deep.equal([])
    expect(named(server, moved(NOW - 2_000 * SECOND))).to.deep.equal(['db2'])
  })
})
