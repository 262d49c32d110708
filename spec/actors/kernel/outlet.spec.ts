// Events on their way to the main thread.
import { expect } from 'chai'
import { EVENT_BUFFER, EventOutlet } from '../../../actors/kernel/outlet.js'
import { event } from '../../support/actors/events.js'

describe('EventOutlet', () => {
  const open = () => {
    const batches: number[][] = []
    const outlet = new EventOutlet((events) => batches.push(events.map(({ id }) => id)))
    return { outlet, batches }
  }

  it('sends the first at once and collects the others until it was taken', () => {
    const { outlet, batches } = open()
    for (const id of [1, 2, 3]) outlet.put(1, event(id))
    expect(batches).to.deep.equal([[1]])
    outlet.taken()
    expect(batches).to.deep.equal([[1], [2, 3]])
    outlet.taken()
    outlet.put(1, event(4))
    expect(batches).to.deep.equal([[1], [2, 3], [4]])
  })

  it('drops the oldest of one actor past its bound, none of another', () => {
    const { outlet, batches } = open()
    outlet.put(1, event(0))
    outlet.put(2, event(-1))
    for (let id = 1; id <= EVENT_BUFFER + 10; id += 1) outlet.put(1, event(id))
    outlet.taken()
    expect(batches[1])
      .to.have.length(EVENT_BUFFER + 1)
      .and.include(-1)
    expect(batches[1]?.at(-1)).to.equal(EVENT_BUFFER + 10)
    expect(outlet.dropped).to.equal(10)
  })

  it('throws at the emitter of what cannot cross threads', () => {
    const { outlet, batches } = open()
    expect(() => outlet.put(1, event(1, { data: { call: () => 1 } }))).to.throw('could not be cloned')
    expect(batches).to.deep.equal([])
  })
})
