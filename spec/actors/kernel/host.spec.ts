// What an actor gets from its thread, and what its thread takes from it.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { event } from '../../support/actors/events.js'
import { openRig, populate, type Rig } from '../../support/actors/rig.js'
import { eventually } from '../../support/wait.js'

describe('runHost', () => {
  let rig: Rig
  beforeEach(async () => {
    rig = openRig()
    await populate(rig, ['c1', 'c2'])
  })
  afterEach(() => rig.supervisor.stop(500))

  it('forwards events in the order of each actor', async () => {
    const seen: number[] = []
    const end = rig.supervisor.onEvent(({ id }) => seen.push(id))
    unwrap(await rig.ref('c1').ask('emit', { events: [1, 2, 3].map((id) => event(id)) }))
    await eventually(() => seen.length === 3, 'events')
    end()
    let last = 0
    rig.supervisor.onEvent(({ id }) => {
      last = id
    })
    unwrap(await rig.ref('c1').ask('emit', { events: [event(4)] }))
    await eventually(() => last === 4, 'the event is given to those who listen')
    expect(seen).to.deep.equal([1, 2, 3])
  })

  it('bounds the events under way and keeps the newest', async () => {
    const seen: number[] = []
    rig.supervisor.onEvent(({ id }) => seen.push(id))
    const events = Array.from({ length: 2_000 }, (_, index) => event(index + 1))
    unwrap(await rig.ref('c1').ask('emit', { events }))
    await eventually(() => seen.at(-1) === 2_000, 'the newest event')
    const [report] = await rig.supervisor.threads()
    expect(report?.eventsDropped).to.equal(2_000 - seen.length)
    expect(seen.length).to.be.below(300)
  })

  it('answers a reply that cannot cross threads with a failure, and the actor lives on', async () => {
    expect(await rig.ref('c1').ask('unclonable', {})).to.have.nested.property('failure.code', 'internal')
    expect(unwrap(await rig.ref('c1').ask('count', {}))).to.equal(2)
  })

  it('reports the lateness of its loop to all actors of the thread', async () => {
    unwrap(await rig.ref('c1').ask('block', { ms: 300 }))
    expect(unwrap(await rig.ref('c2').ask('lateness', { windowMs: 60_000 }))).to.be.above(200)
  })

  it('drops what reaches it after its deadline', async () => {
    const blocked = rig.ref('c1').ask('block', { ms: 200 })
    const late = await rig.ref('c1').ask('count', {}, { deadlineMs: 20 })
    await blocked
    expect(late).to.have.nested.property('failure.code', 'deadline-passed')
    expect(unwrap(await rig.ref('c1').ask('count', {}))).to.equal(2)
  })

  it('reports its threads', async () => {
    const [report, more] = await rig.supervisor.threads()
    expect(more).to.equal(undefined)
    expect(report).to.include({ name: 'host-1', actors: 2 })
    expect(report?.heapUsedBytes).to.be.above(1e6)
  })
})
