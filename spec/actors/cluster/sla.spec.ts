import { expect } from 'chai'
import { advanceSla, slaPercent, startSla } from '../../../actors/cluster/sla.js'

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
