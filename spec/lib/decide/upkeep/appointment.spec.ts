// When a scheduled switchover begins, is announced, is missed; which wishes are refused.
import { expect } from 'chai'
import { DAY, MINUTE, SECOND } from '../../../../lib/base/time.js'
import {
  type AppointmentWish,
  judgeAppointment,
  LATE_MS,
  makeAppointment,
  nextLook,
  planText,
  settleAppointment,
} from '../../../../lib/decide/upkeep/appointment.js'
import type { Appointment } from '../../../../lib/model/operation/appointment.js'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const FROM = NOW + 30 * MINUTE
const make = (wish: Partial<AppointmentWish> = {}, known?: Appointment) =>
  makeAppointment({ user: 'ann', from: FROM, ...wish }, { known, now: NOW })

const made = (wish: Partial<AppointmentWish> = {}): Appointment => {
  const result = make(wish)
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

const codeOf = (result: ReturnType<typeof make>): string => (result.ok ? 'ok' : result.failure.code)

describe('makeAppointment', () => {
  it('waits for its moment, and may begin a minute late where there is no window', () => {
    expect(made()).to.deep.include({ phase: 'waiting', owner: 'ann', from: FROM, until: FROM + LATE_MS })
    expect(made({ until: FROM + 5 })).to.deep.include({ until: FROM + 5 })
  })

  it('refuses moments that make no sense, and a second one beside the first', () => {
    expect(codeOf(make({ from: NOW - DAY }))).to.equal('bad-request')
    expect(codeOf(make({ until: FROM - 1 }))).to.equal('bad-request')
    expect(codeOf(make({ from: NOW + 91 * DAY }))).to.equal('bad-request')
    expect(codeOf(make({}, made()))).to.equal('operation-running')
    expect(codeOf(make({}, { ...made(), phase: 'running' }))).to.equal('operation-running')
    expect(codeOf(make({}, { ...made(), phase: 'missed' }))).to.equal('ok')
  })

  it('names the moment that was given, not the minute that it may be late', () => {
    const given = (wish: Partial<AppointmentWish>) => {
      const made = make(wish)
      return made.ok ? '' : made.failure.message
    }
    expect(given({ from: NOW - DAY })).to.match(/^2026-11-22T12:00:00\.000Z has passed/)
    expect(given({ from: NOW - DAY, until: NOW - MINUTE })).to.match(/^2026-11-23T11:59:00\.000Z has passed/)
  })

  it('accepts a window that has begun', () => {
    expect(codeOf(make({ from: NOW - MINUTE, until: NOW + MINUTE }))).to.equal('ok')
  })
})

describe('judgeAppointment', () => {
  const appointment = made({ until: FROM + MINUTE })

  it('announces it, begins it, and calls it missed after its window', () => {
    expect(judgeAppointment(appointment, NOW)).to.equal('nothing')
    expect(judgeAppointment(appointment, FROM - 5 * MINUTE)).to.equal('announce')
    expect(judgeAppointment({ ...appointment, announced: true }, FROM - 5 * MINUTE)).to.equal('nothing')
    expect(judgeAppointment(appointment, FROM)).to.equal('begin')
    expect(judgeAppointment(appointment, FROM + MINUTE)).to.equal('begin')
    expect(judgeAppointment(appointment, FROM + MINUTE + 1)).to.equal('miss')
    expect(judgeAppointment({ ...appointment, phase: 'cancelled' }, FROM)).to.equal('nothing')
  })

  it('is judged next ahead of its time, at it, and while it is refused again and again until its window ends', () => {
    expect(nextLook(appointment, NOW)).to.equal(FROM - 5 * MINUTE)
    expect(nextLook({ ...appointment, announced: true }, NOW)).to.equal(FROM)
    expect(nextLook(appointment, FROM)).to.equal(FROM + 10 * SECOND)
    expect(nextLook(appointment, FROM + MINUTE - 1)).to.equal(FROM + MINUTE + 1)
    expect(nextLook({ ...appointment, phase: 'failed' }, FROM)).to.equal(undefined)
  })
})

describe('settleAppointment', () => {
  it('shows by the primary what became of one that a manager was killed under', () => {
    const running: Appointment = { ...made(), phase: 'running', primary: 'db1' }
    expect(settleAppointment(running, { primary: 'db2', now: FROM }).phase).to.equal('succeeded')
    expect(settleAppointment(running, { primary: 'db1', now: FROM }).phase).to.equal('failed')
  })
})

describe('planText', () => {
  it('is the steps in order, how long writes are blocked, and the risks; or the refusal', () => {
    const steps = [
      { text: 'Close db1', blocksWrites: true },
      { text: 'Open db2', blocksWrites: true },
    ]
    const base = { kind: 'switchover', steps, risks: ['a long write'], expectedBlockedMs: 30.4 }
    expect(planText({ ...base, possible: true })).to.equal(
      '1. Close db1; 2. Open db2; writes blocked for about 30 ms; risk: a long write',
    )
    expect(planText({ ...base, possible: false, refusal: 'it lags' })).to.equal('it would be refused now: it lags')
  })
})
