// A long statement is reported once, however long the readings took that show it; the next one of its session is another.
import { expect } from 'chai'
import { LongWatch } from '../../../../actors/cluster/watching/long-sessions.js'
import { SECOND } from '../../../../lib/base/time.js'
import type { LongSession } from '../../../../lib/model/server/watched.js'
import { slowReading } from '../../../support/http/view-input.js'
import { primary, replica, situation } from '../../../support/simulator/situation.js'

describe('LongWatch', () => {
  /** How often sessions are reported by readings that ended at these moments, and took so long. */
  const reportedBy = (...readings: readonly [at: number, tookMs: number, seconds: number | undefined][]): number => {
    const { snapshot, settings } = situation([primary(), replica(2)])
    const server = snapshot.primary ?? ''
    let reported = 0
    const actor = {
      init: { name: 'demo' },
      state: { snapshot, settings: { ...settings, 'monitoring-long-query-script': '/long.sh' } },
      tell: () => undefined,
      scripts: { add: () => (reported += 1) },
    } as unknown as ConstructorParameters<typeof LongWatch>[0]
    const watch = new LongWatch(actor)
    for (const [at, tookMs, seconds] of readings)
      watch.note(slowReading(server, { at, tookMs, longStatements: seconds === undefined ? [] : [session(seconds)] }))
    return reported
  }
  const session = (seconds: number): LongSession => ({
    ...{ id: 7, user: 'app', host: '127.0.0.1:4711', schema: '', seconds, state: '', statement: 'SELECT SLEEP(600)' },
    waitsForLock: false,
  })
  const at = 1_000 * SECOND

  it('reports a statement once while it runs, though seconds are whole ones', () => {
    expect(reportedBy([at, 5, 3], [at + 10_900, 5, 13], [at + 21_100, 5, 24])).to.equal(1)
  })

  it('reports it once when a busy machine read it seconds before it had the whole reading', () => {
    expect(reportedBy([at, 5, 3], [at + 14_000, 4_500, 13], [at + 20_000, 5, 23])).to.equal(1)
  })

  it('reports the same statement again when its session has begun it again', () => {
    expect(reportedBy([at, 5, 3], [at + 10_000, 5, 4])).to.equal(2)
    expect(reportedBy([at, 5, 3], [at + 10_000, 5, undefined], [at + 20_000, 5, 4])).to.equal(2)
  })
})
