// Triggers, silences and the scheduled window.
import { expect } from 'chai'
import { HOUR, MINUTE } from '../../../../lib/base/time.js'
import type { AlertSilence } from '../../../../lib/model/alert.js'
import { blackoutUntil, findSilence, isTriggered } from '../../../../lib/notify/alert/rules.js'

describe('isTriggered', () => {
  for (const [triggers, expected] of [
    [['WARN0100'], true],
    [['WARN01'], true],
    [['warning'], true],
    [['ERR', 'error'], false],
    [[], false],
  ] as const)
    it(`${expected ? 'matches' : 'does not match'} a warning by ${triggers.join(', ') || 'nothing'}`, () => {
      expect(isTriggered({ code: 'WARN0100', severity: 'warning' }, triggers)).to.equal(expected)
    })
})

describe('findSilence', () => {
  const silence: AlertSilence = {
    ...{ id: '1', cluster: 'shop', codes: ['WARN'], servers: ['db1'], owner: 'ann', reason: 'move' },
    ...{ createdAt: 0, startsAt: 100, endsAt: 200 },
  }
  const condition = { code: 'WARN0100', server: 'db1' }
  const found = (given: Partial<typeof condition>, where: { cluster?: string; now?: number } = {}, one = silence) =>
    findSilence([one], { ...condition, ...given }, { cluster: 'shop', now: 150, ...where }) !== undefined

  it('covers its cluster, codes and servers during its time', () => {
    expect(found({})).to.equal(true)
    expect(found({ code: 'ERR00012' })).to.equal(false)
    expect(found({ server: 'db2' })).to.equal(false)
    expect(found({}, { cluster: 'lab' })).to.equal(false)
    expect([99, 100, 199, 200].map((now) => found({}, { now }))).to.deep.equal([false, true, true, false])
  })

  it('covers everything when it names nothing', () => {
    const all = { ...silence, cluster: '', codes: [], servers: [] }
    expect(found({ code: 'ERR00012', server: 'db9' }, { cluster: 'lab' }, all)).to.equal(true)
  })
})

describe('blackoutUntil', () => {
  const settings = {
    'monitoring-scheduler': true,
    'scheduler-alert-disable': true,
    'scheduler-alert-disable-cron': '0 0 2 * * *',
    'scheduler-alert-disable-time': 3_600,
  }
  const at = (hours: number, minutes = 0) => new Date(2026, 10, 23, hours, minutes).getTime()

  it('lasts from the pattern’s moment for the given time', () => {
    expect(blackoutUntil(settings, at(1, 59))).to.equal(undefined)
    expect(blackoutUntil(settings, at(2, 0) + 1)).to.equal(at(3))
    expect(blackoutUntil(settings, at(2, 59))).to.equal(at(3))
    expect(blackoutUntil(settings, at(3) + MINUTE)).to.equal(undefined)
  })

  it('is prolonged by a pattern that begins again in it', () => {
    const often = { ...settings, 'scheduler-alert-disable-cron': '0 0 * * * *', 'scheduler-alert-disable-time': 5_400 }
    expect(blackoutUntil(often, at(4, 10))).to.equal(at(4) + 1.5 * HOUR)
  })

  it('is off unless the scheduler and the window are on', () => {
    expect(blackoutUntil({ ...settings, 'monitoring-scheduler': false }, at(2, 30))).to.equal(undefined)
    expect(blackoutUntil({ ...settings, 'scheduler-alert-disable': false }, at(2, 30))).to.equal(undefined)
  })
})
