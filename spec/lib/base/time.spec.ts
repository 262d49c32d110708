import { expect } from 'chai'
import { parseTime } from '../../../lib/base/time.js'

describe('parseTime', () => {
  it('reads what Date.parse reads', () => {
    expect(parseTime('2026-11-24T02:30:00Z')).to.equal(Date.UTC(2026, 10, 24, 2, 30))
    expect(parseTime('2026-11-24')).to.equal(Date.UTC(2026, 10, 24))
    expect(parseTime('2028-02-29T00:00Z')).to.equal(Date.UTC(2028, 1, 29))
    expect(parseTime('noon')).to.equal(undefined)
  })

  it('refuses a day that its month does not have', () => {
    for (const text of ['2026-02-30T00:00Z', '2026-02-29', '2026-11-31T22:00:00+01:00', '2026-06-31 10:00'])
      expect(parseTime(text), text).to.equal(undefined)
  })
})
