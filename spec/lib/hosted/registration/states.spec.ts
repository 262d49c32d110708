// The table of states, whole: which events lead where, and that no course ends in a state without a way on.
import { expect } from 'chai'
import {
  nextState,
  type RegistrationState,
  registrationEvents,
  registrationStates,
} from '../../../../lib/hosted/registration/states.js'

/** Rows: state; columns: event. A dash: it does not happen. */
const table = `
            requested  withdrawn  confirmed  refused  expired  unregistered
  idle      pending    -          complete   -        -        -
  pending   -          idle       complete   error    timeout  -
  complete  -          -          -          -        -        idle
  timeout   pending    -          complete   -        -        -
  error     pending    -          complete   -        -        -`

const [head = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))

describe('nextState', () => {
  it('is given for every state and event', () => {
    expect(head).to.deep.equal([...registrationEvents])
    expect(rows.map(([state]) => state)).to.deep.equal([...registrationStates])
  })

  for (const [state = '', ...nexts] of rows)
    for (const [at, next] of nexts.entries()) {
      const event = registrationEvents[at]
      if (event)
        it(`${state}, ${event}: ${next}`, () => {
          expect(nextState(state as RegistrationState, event) ?? '-').to.equal(next)
        })
    }

  it('leads from every state to a registration, and from there to the beginning', () => {
    for (const state of registrationStates) {
      const confirmed = state === 'complete' ? state : nextState(state, 'confirmed')
      expect(confirmed).to.equal('complete')
      expect(nextState('complete', 'unregistered')).to.equal('idle')
    }
  })
})
