// Moments as people write them on the command line.
import { expect } from 'chai'
import { parseMoment } from '../../../../bin/cli/kit/moment.js'
import { DAY, HOUR, MINUTE } from '../../../../lib/base/time.js'

const NOW = new Date(2026, 10, 23, 12, 0).getTime()

describe('parseMoment', () => {
  it('takes a time of day as its next occurrence', () => {
    expect(parseMoment('22:30', NOW)).to.equal(new Date(2026, 10, 23, 22, 30).getTime())
    expect(parseMoment('9:15', NOW)).to.equal(new Date(2026, 10, 24, 9, 15).getTime())
  })

  it('takes a date in local time, in UTC or with a zone', () => {
    expect(parseMoment('2026-11-24T22:30', NOW)).to.equal(new Date(2026, 10, 24, 22, 30).getTime())
    expect(parseMoment('2026-11-24 22:30Z', NOW)).to.equal(Date.UTC(2026, 10, 24, 22, 30))
    expect(parseMoment('2026-11-24T22:30:00+02:00', NOW)).to.equal(Date.UTC(2026, 10, 24, 20, 30))
  })

  it('takes a distance from now', () => {
    expect(['+90m', '+2h', '+1d'].map((text) => (parseMoment(text, NOW) ?? 0) - NOW)).to.deep.equal([
      90 * MINUTE,
      2 * HOUR,
      DAY,
    ])
  })

  it('refuses days that their month does not have', () => {
    for (const text of ['2026-02-30T22:00', '2026-02-29 22:00Z', '2026-11-31T22:00+01:00', '2026-04-31T00:00Z'])
      expect(parseMoment(text, NOW), text).to.equal(undefined)
    expect(parseMoment('2028-02-29T22:00Z', NOW)).to.equal(Date.UTC(2028, 1, 29, 22))
  })

  it('takes nothing else', () => {
    for (const text of ['', 'now', '24:00', '12:60', '+5', '5m', '2026-13-01T00:00Z', 'tomorrow'])
      expect(parseMoment(text, NOW), text).to.equal(undefined)
  })
})
