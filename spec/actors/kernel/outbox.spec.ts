// One actor's outbox over a real port; the spec plays the host thread at the other end.
import { mock } from 'node:test'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { expect } from 'chai'
import { Link } from '../../../actors/kernel/link.js'
import { Outbox } from '../../../actors/kernel/outbox.js'
import type { Envelope } from '../../../actors/kernel/wire.js'
import { fail, ok } from '../../../lib/base/result.js'
import { eventually } from '../../support/wait.js'

describe('Outbox', () => {
  let host: MessagePort
  let link: Link
  let taken: Envelope[]

  beforeEach(() => {
    const { port1, port2 } = new MessageChannel()
    host = port2
    taken = []
    link = new Link(port1, { onNotice: () => undefined, onDying: () => undefined })
    host.on('message', (envelope: Envelope) => taken.push(envelope))
  })
  afterEach(() => {
    link.end()
    host.close()
    mock.timers.reset()
  })

  const echo = () =>
    host.on('message', ({ id, payload }: Envelope) => host.postMessage({ kind: 'reply', id, result: ok(payload) }))

  it('settles with the reply', async () => {
    echo()
    const outbox = new Outbox('c1')
    outbox.connect(link, 4)
    expect(await outbox.ask('echo', { a: 1 })).to.deep.equal(ok({ a: 1 }))
    expect(taken[0]).to.deep.include({ kind: 'ask', type: 'echo', generation: 4 })
  })

  it('holds what is asked before the actor is up, then sends it in order', async () => {
    echo()
    const outbox = new Outbox('c1')
    const answers = [1, 2, 3].map((payload) => outbox.ask('echo', payload))
    outbox.connect(link, 1)
    expect(await Promise.all(answers)).to.deep.equal([ok(1), ok(2), ok(3)])
    expect(taken.map(({ payload }) => payload)).to.deep.equal([1, 2, 3])
  })

  it('fails what the actor had taken when it ends, and keeps what it had not', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const outbox = new Outbox('c1')
    outbox.connect(link, 1)
    const sent = outbox.ask('count', {})
    outbox.hold('c1 threw')
    const held = outbox.ask('count', {}, { deadlineMs: 20 })
    expect(await sent).to.deep.equal(fail('actor-gone', 'c1 threw'))
    mock.timers.tick(20)
    expect(await held).to.deep.equal(fail('deadline-passed', 'c1 did not answer count in 20 ms'))
    mock.timers.reset()
    outbox.connect(link, 2)
    outbox.tell('next', {})
    await eventually(() => taken.length > 1, 'the next message')
    expect(taken.map(({ type }) => type)).to.deep.equal(['count', 'next'])
  })

  it('fails everything when closed, until it opens again', async () => {
    const outbox = new Outbox('c1')
    const held = outbox.ask('count', {})
    outbox.close('quarantined', 'too often')
    expect(await held).to.deep.equal(fail('quarantined', 'too often'))
    outbox.hold('late news')
    expect(await outbox.ask('count', {})).to.deep.equal(fail('quarantined', 'too often'))
    outbox.reopen()
    echo()
    outbox.connect(link, 1)
    expect(await outbox.ask('count', 5)).to.deep.equal(ok(5))
  })

  it('accepts as many as its bound, `tell` included, and again once they have settled', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const outbox = new Outbox('c1', 2)
    outbox.connect(link, 1)
    const first = outbox.ask('never', {}, { deadlineMs: 20 })
    outbox.tell('never', {})
    outbox.tell('never', {})
    expect(await outbox.ask('count', {})).to.deep.equal(fail('mailbox-full', 'c1 has 2 messages waiting'))
    mock.timers.tick(20)
    expect(await first).to.have.nested.property('failure.code', 'deadline-passed')
    const next = outbox.ask('never', {}, { deadlineMs: 1 })
    mock.timers.tick(1)
    mock.timers.reset()
    expect(await next).to.deep.include({
      failure: { code: 'deadline-passed', message: 'c1 did not answer never in 1 ms' },
    })
    await eventually(() => taken.length === 3, 'the message that was accepted again')
    outbox.close('actor-gone', 'over')
  })

  it('lets pulls pass a full mailbox', async () => {
    echo()
    const outbox = new Outbox('c1', 0)
    outbox.connect(link, 1)
    expect(await outbox.pull('text', 1_000)).to.deep.equal(ok(undefined))
  })

  it('answers what cannot cross threads with a failure', async () => {
    const outbox = new Outbox('c1')
    outbox.connect(link, 1)
    expect(await outbox.ask('echo', () => 1)).to.have.nested.property('failure.code', 'internal')
  })

  it('settles what was sent when the link ends', async () => {
    const outbox = new Outbox('c1')
    outbox.connect(link, 1)
    const sent = outbox.ask('count', {})
    link.end()
    expect(await sent).to.have.nested.property('failure.code', 'actor-gone')
    expect(await outbox.ask('count', {})).to.have.nested.property('failure.code', 'actor-gone')
  })
})
