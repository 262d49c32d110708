// The manager's limit of heavy jobs: first asked, first served; what is gone holds nothing.
import { expect } from 'chai'
import { grantSlots, noteSlots, SILENCE_MS, type SlotLedger } from '../../../../lib/decide/backup/slots.js'

type Wants = readonly (readonly [number, number])[]

const said = (ledger: SlotLedger, cluster: string, wants: Wants) =>
  noteSlots(ledger, cluster, { wants: wants.map(([job, since]) => ({ job, since })), holds: [], at: 0 })

describe('grantSlots', () => {
  it('serves who asked first, over all clusters, up to the limit', () => {
    const ledger = said(said(said({}, 'a', [[1, 30]]), 'b', [[5, 10]]), 'c', [[2, 20]])
    const { grants, running } = grantSlots(ledger, { limit: 2, now: 1 })
    expect(grants).to.deep.equal([
      { cluster: 'b', job: 5 },
      { cluster: 'c', job: 2 },
    ])
    expect(running).to.equal(2)
  })

  it('grants again what a cluster has not heard of, and counts it once', () => {
    const first = grantSlots(said({}, 'a', [[1, 1]]), { limit: 1, now: 1 })
    const again = grantSlots(said(said(first.ledger, 'a', [[1, 1]]), 'b', [[9, 0]]), { limit: 1, now: 2 })
    expect(again.grants).to.deep.equal([{ cluster: 'a', job: 1 }])
    expect(again.running).to.equal(1)
  })

  it('frees what a cluster no longer holds, and what one held that is silent', () => {
    const full = grantSlots(said({}, 'a', [[1, 1]]), { limit: 1, now: 1 }).ledger
    const waiting = noteSlots(full, 'b', { wants: [{ job: 2, since: 2 }], holds: [], at: SILENCE_MS - 1 })
    expect(grantSlots(waiting, { limit: 1, now: SILENCE_MS - 1 }).running).to.equal(1)
    expect(grantSlots(said(waiting, 'a', []), { limit: 1, now: SILENCE_MS - 1 }).grants).to.deep.equal([
      { cluster: 'b', job: 2 },
    ])
    expect(grantSlots(waiting, { limit: 1, now: SILENCE_MS }).grants).to.deep.equal([{ cluster: 'b', job: 2 }])
  })

  it('knows no limit of 0', () => {
    const { grants } = grantSlots(said({}, 'a', [[1, 1], [2, 2], [3, 3]]), { limit: 0, now: 1 }) // biome-ignore format: one line
    expect(grants).to.have.length(3)
  })
})
