import { expect } from 'chai'
import { EventHub } from '../../../../actors/manager/outlet/event-hub.js'
import type { ClusterEvent } from '../../../../lib/model/event.js'

const event = (text: string, cluster = 'c1'): ClusterEvent => ({
  id: 0,
  at: 0,
  cluster,
  kind: 'log',
  level: 'INFO',
  text,
})

describe('EventHub', () => {
  const listen = (hub: EventHub, { cluster = 'c1', after }: { cluster?: string; after?: number } = {}) => {
    const heard: ClusterEvent[] = []
    const over = new AbortController()
    hub.subscribe(cluster, { after, signal: over.signal }, (one) => heard.push(one))
    return { heard, over, texts: () => heard.map(({ text }) => text) }
  }

  it('gives new events only, each to the readers of its cluster', () => {
    const hub = new EventHub()
    hub.publish(event('before'))
    const [one, other] = [listen(hub), listen(hub, { cluster: 'c2' })]
    hub.publish(event('a'))
    hub.publish(event('b', 'c2'))
    expect([one.texts(), other.texts()]).to.deep.equal([['a'], ['b']])
  })

  it('numbers the events of a cluster without a gap, whatever their own numbers', () => {
    const hub = new EventHub()
    const { heard } = listen(hub)
    for (const text of ['a', 'b', 'c']) hub.publish({ ...event(text), id: 77 })
    const [first = 0, ...others] = heard.map(({ id }) => id)
    expect(others).to.deep.equal([first + 1, first + 2])
  })

  it('gives a reader that comes back what it has missed, then what is new', () => {
    const hub = new EventHub()
    const { heard } = listen(hub)
    for (const text of ['a', 'b', 'c']) hub.publish(event(text))
    const back = listen(hub, { after: heard[0]?.id ?? 0 })
    hub.publish(event('d'))
    expect(back.texts()).to.deep.equal(['b', 'c', 'd'])
  })

  it('keeps the latest 500 events: a reader that is later sees the gap in the numbers', () => {
    const hub = new EventHub()
    const { heard } = listen(hub)
    for (let index = 0; index < 502; index++) hub.publish(event(`${index}`))
    const first = heard[0]?.id ?? 0
    const back = listen(hub, { after: first })
    expect(back.heard).to.have.length(500)
    expect(back.heard[0]?.id).to.equal(first + 2)
  })

  it('leaves a reader alone once it has gone', () => {
    const hub = new EventHub()
    const { over, texts } = listen(hub)
    over.abort()
    hub.publish(event('a'))
    const late = new AbortController()
    late.abort()
    hub.subscribe('c1', { after: 0, signal: late.signal }, () => expect.fail('heard'))
    expect(texts()).to.deep.equal([])
  })

  it('never gives a number twice, though the cluster went and came back', () => {
    const hub = new EventHub()
    const before = listen(hub)
    for (let index = 0; index < 9; index++) hub.publish(event('old'))
    hub.forget('c1')
    const after = listen(hub, { after: 0 })
    hub.publish(event('new'))
    expect(after.texts()).to.deep.equal(['new'])
    expect(after.heard[0]?.id).to.be.greaterThan(before.heard.at(-1)?.id ?? 0)
  })

  it('begins above the numbers of a manager that was restarted', () => {
    const [old, young] = [new EventHub(1_800_000_000_000.2), new EventHub(1_800_000_000_001.1)]
    const [before, after] = [listen(old), listen(young)]
    old.publish(event('a'))
    young.publish(event('b'))
    expect(after.heard[0]?.id).to.be.greaterThan(before.heard[0]?.id ?? 0)
  })
})
