// A behaviour fed one message at a time.
import { mock } from 'node:test'
import { expect } from 'chai'
import { type Behaviour, createMailbox } from '../../../actors/kernel/behaviour.js'
import { fail, ok } from '../../../lib/base/result.js'

type CounterProtocol = {
  add: { in: { by: number }; out: number }
  announce: { in: object; out: void }
  refuse: { in: object; out: void }
  break: { in: object; out: void }
  later: { in: object; out: number }
  reach: { in: { count: number; withinMs: number }; out: number }
}

const counter: Behaviour<CounterProtocol, number, string> = {
  add: (state, { by }) => ({ state: state + by, reply: ok(state + by) }),
  announce: (state) => ({ state: state + 1, reply: ok(undefined), commands: [`say ${state}`, 'bow'] }),
  refuse: (state) => ({ state, reply: fail('wrong-state', 'not now') }),
  break: () => {
    throw new Error('broken')
  },
  later: (state, _, { reply }) => ({ state, reply: 'deferred', commands: [`settle ${reply}`] }),
  reach: (state, { count, withinMs }, { now, since }) => {
    if (state >= count) return { state, reply: ok(now - since) }
    if (now - since >= withinMs) return { state, reply: fail('deadline-passed', `${state} of ${count}`) }
    return { state, reply: { until: since + withinMs }, commands: [`hurry to ${count}`] }
  },
}

describe('createMailbox', () => {
  afterEach(() => mock.timers.reset())

  const open = (clock = () => 0) => {
    const executed: (readonly [number, readonly string[]])[] = []
    const mailbox = createMailbox({
      behaviour: counter,
      state: 0,
      clock,
      execute: (commands) => executed.push([mailbox.state(), commands]),
    })
    return { mailbox, executed }
  }

  it('stores the state of each message for the next', () => {
    const { mailbox } = open()
    expect(mailbox.receive('add', { by: 2 })).to.deep.equal(ok(2))
    expect(mailbox.receive('add', { by: 3 })).to.deep.equal(ok(5))
    expect(mailbox.state()).to.equal(5)
  })

  it('passes the commands in order, after the state is stored', () => {
    const { mailbox, executed } = open()
    void mailbox.receive('announce', {})
    expect(executed).to.deep.equal([[1, ['say 0', 'bow']]])
  })

  it('executes nothing for a message without commands', () => {
    const { mailbox, executed } = open()
    expect(mailbox.receive('refuse', {})).to.deep.equal(fail('wrong-state', 'not now'))
    expect(executed).to.deep.equal([])
  })

  it('keeps the state before a handler that throws, and throws on', () => {
    const { mailbox } = open()
    void mailbox.receive('add', { by: 2 })
    expect(() => mailbox.receive('break', {})).to.throw('broken')
    expect(mailbox.state()).to.equal(2)
  })

  it('gives a deferred reply when it is settled, once', async () => {
    const { mailbox, executed } = open()
    const reply = mailbox.receive('later', {})
    expect(executed).to.deep.equal([[0, ['settle 1']]])
    mailbox.settle(1, ok(7))
    mailbox.settle(1, ok(8))
    expect(await reply).to.deep.equal(ok(7))
  })

  it('handles a postponed message again after a change of the state, its commands once', async () => {
    let now = 0
    const { mailbox, executed } = open(() => now)
    const reply = mailbox.receive('reach', { count: 2, withinMs: 60_000 })
    now = 5
    void mailbox.receive('add', { by: 1 })
    void mailbox.receive('add', { by: 1 })
    expect(await reply).to.deep.equal(ok(5))
    expect(executed).to.deep.equal([[0, ['hurry to 2']]])
  })

  it('handles a postponed message again when its time is over', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    let now = 100
    const { mailbox, executed } = open(() => now)
    const reply = mailbox.receive('reach', { count: 1, withinMs: 5 })
    expect(executed).to.deep.equal([[0, ['hurry to 1']]])
    now = 105
    mock.timers.tick(5)
    expect(await reply).to.deep.equal(fail('deadline-passed', '0 of 1'))
  })

  it('settles every open reply at the end of its actor', async () => {
    const { mailbox } = open()
    const open1 = mailbox.receive('later', {})
    const open2 = mailbox.receive('reach', { count: 1, withinMs: 60_000 })
    mailbox.settleAll()
    for (const reply of [open1, open2])
      expect(await reply)
        .to.deep.include({ ok: false })
        .and.to.have.nested.property('failure.code', 'actor-gone')
  })

  it('refuses a message that the behaviour does not know', () => {
    const { mailbox } = open()
    expect(mailbox.receive('toString' as 'add', { by: 1 })).to.deep.include({ ok: false })
  })
})
