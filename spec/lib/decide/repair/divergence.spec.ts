// What only one server has, as it is shown and counted.
import { expect } from 'chai'
import { judgeDivergence, planDivergence } from '../../../../lib/decide/repair/divergence.js'
import { primary, replica, situation } from '../../../support/simulator/situation.js'

describe('planDivergence', () => {
  it('counts only what the server alone can have written: the numbers before may be those of the primary', () => {
    const judged = situation([primary(), replica(2, { state: { executed: '0-1-100,0-2-103' } }), replica(3)])
    const diverged = judgeDivergence(judged, 'db2')
    if (!diverged.ok) throw new Error(diverged.failure.message)
    const { extra, effect } = planDivergence(diverged.value, 'neutralise')
    expect(extra).to.equal('0-2:101-103')
    expect(effect).to.include('those of at least 3 transactions stay on db2 only')
  })
})
