// When scheduled work is due, by patterns of six fields and by @every.
import { expect } from 'chai'
import { HOUR, MINUTE, SECOND } from '../../../../lib/base/time.js'
import { nextTime, scheduledWork, timetable, turn } from '../../../../lib/decide/upkeep/timetable.js'
import { defaultSettings } from '../../../../lib/settings/index.js'

/** A Saturday, in the zone of the process as patterns are. */
const at = (day: number, ...time: readonly number[]): number => {
  const [hour = 0, minute = 0, second = 0] = time
  return new Date(2026, 10, day, hour, minute, second).getTime()
}

describe('nextTime', () => {
  for (const [pattern, from, due] of [
    ['0 30 11 * * *', at(21, 11, 29, 59), at(21, 11, 30)],
    ['0 30 11 * * *', at(21, 11, 30), at(22, 11, 30)],
    ['0 30 10 * * 5', at(21, 0), at(27, 10, 30)],
    ['0 0 3 1 * *', at(21, 0), new Date(2026, 11, 1, 3).getTime()],
    ['0 0/10 * * * *', at(21, 1, 11), at(21, 1, 20)],
    ['@every 1h30m', at(21, 1), at(21, 1) + HOUR + 30 * MINUTE],
    ['@every 5s', at(21, 1), at(21, 1) + 5 * SECOND],
  ] as const)
    it(`leads ${pattern} from ${new Date(from).toLocaleString()} to ${new Date(due).toLocaleString()}`, () => {
      expect(nextTime(pattern, from)).to.equal(due)
    })

  for (const pattern of ['@every 0s', '0 0 0 31 2 *'])
    it(`knows that ${pattern} never comes`, () => {
      expect(nextTime(pattern, at(21, 0))).to.equal(undefined)
    })
})

describe('scheduledWork', () => {
  const everything = { 'scheduler-rolling-restart': true, 'scheduler-rolling-reprov': true } as const

  it('is nothing while the scheduler is off', () => {
    expect(scheduledWork(defaultSettings({ ...everything, 'scheduler-db-servers-optimize': true }))).to.deep.equal([])
  })

  for (const [kind, wanted] of [
    ['backup-logical', 'scheduler-db-servers-logical-backup'],
    ['backup-physical', 'scheduler-db-servers-physical-backup'],
    ['logs', 'scheduler-db-servers-logs'],
    ['log-tables', 'scheduler-db-servers-logs-table-rotate'],
    ['analyze', 'scheduler-db-servers-analyze'],
    ['run-jobs', 'scheduler-jobs-ssh'],
    ['checksum', 'monitoring-checksum-scheduler'],
    ['schema-scan', 'monitoring-schema-scheduler'],
  ] as const)
    it(`has ${kind} by ${wanted} at the time of ${wanted}-cron`, () => {
      const settings = (isWanted: boolean) =>
        defaultSettings({ 'monitoring-scheduler': true, [wanted]: isWanted, [`${wanted}-cron`]: '0 17 4 * * *' })
      const found = scheduledWork(settings(true)).find((each) => each.kind === kind)
      expect(found).to.include({ kind, pattern: '0 17 4 * * *' })
      expect(scheduledWork(settings(false)).some((each) => each.kind === kind)).to.equal(false)
    })

  it('is what the settings want, when they want it', () => {
    expect(scheduledWork(defaultSettings({ ...everything, 'monitoring-scheduler': true }))).to.deep.equal([
      { kind: 'restart', pattern: '0 30 11 * * *' },
      { kind: 'reprov', pattern: '0 30 10 * * 5' },
      { kind: 'backup-logical', pattern: '0 0 1 * * 6' },
      { kind: 'log-tables', pattern: '0 0 0/6 * * *' },
      { kind: 'analyze', pattern: '0 0 4 2 * *' },
      { kind: 'schema-scan', pattern: '0 0 2 * * *' },
    ])
  })
})

describe('timetable', () => {
  const restart = { kind: 'restart', pattern: '0 30 11 * * *' } as const
  const optimize = { kind: 'optimize', pattern: '@every 1h' } as const

  it('keeps the moment of what was wanted before, and counts for what is new', () => {
    const before = timetable([optimize], [], at(21, 1))
    expect(timetable([restart, optimize], before, at(21, 1, 30))).to.deep.equal([
      { ...restart, due: at(21, 11, 30) },
      { ...optimize, due: at(21, 2) },
    ])
  })

  it('restarts for another pattern, and forgets what is not configured', () => {
    const before = timetable([restart, optimize], [], at(21, 1))
    expect(timetable([{ ...optimize, pattern: '@every 2h' }], before, at(21, 1, 30))).to.deep.equal([
      { kind: 'optimize', pattern: '@every 2h', due: at(21, 3, 30) },
    ])
  })
})

describe('turn', () => {
  const restart = { kind: 'restart', pattern: '0 30 11 * * *', due: at(21, 11, 30) } as const

  it('starts what is due once, and computes the next time then', () => {
    const { begin, missed, entries } = turn([restart], at(21, 11, 30, 1))
    expect({ begin, missed }).to.deep.equal({ begin: [restart], missed: [] })
    expect(entries).to.deep.equal([{ ...restart, due: at(22, 11, 30) }])
    expect(turn(entries, at(21, 11, 30, 2)).begin).to.deep.equal([])
  })

  it('leaves what is not due as it is, also when the clock was set back', () => {
    expect(turn([restart], at(20, 9))).to.deep.equal({ begin: [], missed: [], entries: [restart] })
  })

  it('does not make up for a moment that is long over', () => {
    expect(turn([restart], at(24, 13))).to.deep.equal({
      begin: [],
      missed: [restart],
      entries: [{ ...restart, due: at(25, 11, 30) }],
    })
  })
})
