import { expect } from 'chai'
import {
  advanceSla,
  closeDue,
  closePeriod,
  resumeSla,
  slaPercent,
  startSla,
} from '../../../../actors/cluster/state/sla.js'

const up = { up: true, failable: true, inSync: false }
const down = { up: false, failable: false, inSync: false }

describe('advanceSla', () => {
  it('counts each stretch by the state that held during it', () => {
    const sla = advanceSla(advanceSla(startSla(1_000), up, 4_000), down, 5_000)
    expect(sla).to.include({ since: 1_000, at: 5_000, upMs: 3_000, failableMs: 3_000, syncMs: 0 })
  })

  it('never counts backwards', () => {
    expect(advanceSla(startSla(1_000), up, 500).upMs).to.equal(0)
  })
})

describe('closePeriod', () => {
  const ended = { ...startSla(1_000), at: 5_000, upMs: 4_000 }

  it('keeps what ended and begins again', () => {
    expect(closePeriod({ sla: ended, slaHistory: [] }, 6_000)).to.deep.equal({
      sla: startSla(6_000),
      slaHistory: [ended],
    })
  })

  it('keeps nothing of a period in which nothing was seen', () => {
    expect(closePeriod({ sla: startSla(1_000), slaHistory: [ended] }, 6_000).slaHistory).to.deep.equal([ended])
  })

  it('keeps two years at most', () => {
    const long = Array.from({ length: 24 }, () => ended)
    expect(closePeriod({ sla: { ...ended, upMs: 1 }, slaHistory: long }, 6_000).slaHistory.at(-1)?.upMs).to.equal(1)
    expect(closePeriod({ sla: ended, slaHistory: long }, 6_000).slaHistory).to.have.length(24)
  })
})

describe('closeDue', () => {
  const june = { sla: { ...startSla(Date.UTC(2026, 5, 30)), at: Date.UTC(2026, 5, 30, 20) }, slaHistory: [] }
  const monthly = { 'scheduler-sla-rotate': true, 'scheduler-sla-rotate-cron': '0 0 0 1 * *' }
  /** The first of July in the zone of the process. */
  const july = new Date(2026, 6, 1).getTime()

  it('goes on until the moment of the pattern', () => {
    expect(closeDue(june, monthly, july - 1)).to.equal(june)
  })

  it('begins another period at that moment, or as soon as the manager runs again', () => {
    expect(closeDue(june, monthly, july).slaHistory).to.deep.equal([june.sla])
    expect(closeDue(june, monthly, july + 90_000_000).slaHistory).to.deep.equal([june.sla])
  })

  it('goes on for as long as it is switched off', () => {
    expect(closeDue(june, { ...monthly, 'scheduler-sla-rotate': false }, july)).to.equal(june)
  })
})

describe('resumeSla', () => {
  it('excludes the time without probes', () => {
    const sla = { ...startSla(1_000), at: 5_000, upMs: 4_000 }
    expect(slaPercent(4_000, resumeSla(sla, 100_000))).to.equal('100.00000')
  })
})

describe('slaPercent', () => {
  const sla = { ...startSla(0), at: 1_000_000_000 }

  it('has five decimals', () => {
    expect(slaPercent(500_000_000, sla)).to.equal('50.00000')
  })

  it('does not round a miss up to a full hundred', () => {
    expect(slaPercent(999_999_999, sla)).to.equal('99.99999')
    expect(slaPercent(1_000_000_000, sla)).to.equal('100.00000')
  })
})
