// Requests that come before a server had its first look.
import { expect } from 'chai'
import { afterFirstLook } from '../../../../actors/cluster/watch/first-look.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'

type Actor = Parameters<typeof afterFirstLook>[0]

const actorThatShows = (show: () => readonly Partial<ServerSnapshot>[]): Actor =>
  ({
    get state() {
      return { snapshot: { servers: show() } }
    },
    context: { signal: new AbortController().signal },
  }) as unknown as Actor

describe('afterFirstLook', () => {
  it('waits for the look of a server that nobody has seen yet', async () => {
    let asked = 0
    const actor = actorThatShows(() => [{ id: 'db1', observation: ++asked < 4 ? 'unseen' : 'answered' }])
    expect((await afterFirstLook(actor, 'db1'))?.observation).to.equal('answered')
    expect(asked).to.equal(4)
  })

  it('takes a server that is down as it is, and knows no other', async () => {
    const actor = actorThatShows(() => [{ id: 'db1', observation: 'refused' }])
    expect((await afterFirstLook(actor, 'db1'))?.observation).to.equal('refused')
    expect(await afterFirstLook(actor, 'db9')).to.equal(undefined)
  })

  it('does not wait for ever', async () => {
    const actor = actorThatShows(() => [{ id: 'db1', observation: 'unseen' }])
    expect((await afterFirstLook(actor, 'db1'))?.observation).to.equal('unseen')
  })
})
