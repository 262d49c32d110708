// The control channel to a real thread: no call outlives its deadline or the thread.
import { expect } from 'chai'
import { createBoard } from '../../../actors/kernel/board.js'
import { HostThread } from '../../../actors/kernel/thread.js'
import type { StartOrder } from '../../../actors/kernel/wire.js'
import { unwrap } from '../../../lib/base/result.js'
import { hostEntry, subjectKinds } from '../../support/actors/rig.js'

describe('openControl', () => {
  let thread: HostThread
  let ends: string[]

  beforeEach(async () => {
    ends = []
    thread = new HostThread({
      entry: hostEntry,
      name: 'spec',
      kinds: subjectKinds,
      resourceLimits: {},
      onNotice: () => undefined,
      onEnd: ({ reason }) => ends.push(reason),
    })
    unwrap(await thread.opened(10_000))
  })
  afterEach(() => thread.terminate('over'))

  const order = (init: unknown): StartOrder => ({
    id: 'c1',
    kind: 'subject',
    generation: 1,
    board: createBoard(1),
    init,
    mailboxBound: 4,
  })

  it('answers with the value of the call', async () => {
    expect(unwrap(await thread.control.call(5_000, (host) => host.start(order({}))))).to.equal(undefined)
    expect(unwrap(await thread.control.call(5_000, (host) => host.stats()))).to.include({ actors: 1, eventsDropped: 0 })
  })

  it('reads what the thread answers of all its actors together, byte arrays too', async () => {
    const read = (type: string, payload: unknown) => thread.control.call(5_000, (host) => host.read(type, payload))
    expect(unwrap(await read('repeat', { text: 'ab', times: 3 }))).to.deep.equal({ bytes: Buffer.from('ababab') })
    expect(await read('fail', {})).to.have.nested.property('failure.code', 'internal')
    expect(await read('unknown', {})).to.have.nested.property('failure.code', 'internal')
    expect(unwrap(await thread.control.call(5_000, (host) => host.stats()))).to.include({ actors: 0 })
  })

  it('fails at its deadline', async () => {
    const call = thread.control.call(30, (host) => host.start(order({ start: 'hang' })))
    expect(await call).to.have.nested.property('failure.code', 'deadline-passed')
  })

  it('settles pending calls when the thread is terminated, before their deadline, and later ones at once', async () => {
    const pending = [1, 2, 3].map(() => thread.control.call(60_000, (host) => host.start(order({ start: 'hang' }))))
    void thread.terminate('requested')
    for (const result of await Promise.all(pending))
      expect(result).to.have.nested.property('failure.code', 'actor-gone')
    expect(await thread.control.call(60_000, (host) => host.ping())).to.have.nested.property(
      'failure.code',
      'actor-gone',
    )
    expect(ends).to.deep.equal(['requested'])
  })

  it('fails a call whose arguments are not plain data', async () => {
    const call = thread.control.call(5_000, (host) => host.start(order({ note: () => 1 })))
    expect(await call).to.have.nested.property('failure.code', 'internal')
  })

  it('reports a factory that throws as its fault, and keeps nothing of it', async () => {
    const fault = unwrap(await thread.control.call(5_000, (host) => host.start(order({ start: 'throw' }))))
    expect(fault?.reason).to.equal('Error: this actor cannot start')
    expect(fault?.stack).to.include('subject')
    expect(unwrap(await thread.control.call(5_000, (host) => host.stats()))).to.include({ actors: 0 })
  })
})
