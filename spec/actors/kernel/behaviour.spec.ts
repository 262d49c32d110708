// A behaviour fed one message at a time.
import { expect } from 'chai'
import { type Behaviour, createMailbox } from '../../../actors/kernel/behaviour.js'
import { fail, ok } from '../../../lib/base/result.js'

type CounterProtocol = {
  add: { in: { by: number }; out: number }
  announce: { in: object; out: void }
  refuse: { in: object; out: void }
  break: { in: object; out: void }
}

const counter: Behaviour<CounterProtocol, number, string> = {
  add: (state, { by }) => ({ state: state + by, reply: ok(state + by) }),
  announce: (state) => ({ state: state + 1, reply: ok(undefined), commands: [`say ${state}`, 'bow'] }),
  refuse: (state) => ({ state, reply: fail('wrong-state', 'not now') }),
  break: () => {
    throw new Error('broken')
  },
}

describe('createMailbox', () => {
  const open = () => {
    const executed: (readonly [number, readonly string[]])[] = []
    const mailbox = createMailbox({
      behaviour: counter,
      state: 0,
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

  it('hands the commands over in order, after the state is stored', () => {
    const { mailbox, executed } = open()
    mailbox.receive('announce', {})
    expect(executed).to.deep.equal([[1, ['say 0', 'bow']]])
  })

  it('executes nothing for a message without commands', () => {
    const { mailbox, executed } = open()
    expect(mailbox.receive('refuse', {})).to.deep.equal(fail('wrong-state', 'not now'))
    expect(executed).to.deep.equal([])
  })

  it('keeps the state before a handler that throws, and throws on', () => {
    const { mailbox } = open()
    mailbox.receive('add', { by: 2 })
    expect(() => mailbox.receive('break', {})).to.throw('broken')
    expect(mailbox.state()).to.equal(2)
  })

  it('refuses a message that the behaviour does not know', () => {
    const { mailbox } = open()
    expect(mailbox.receive('toString' as 'add', { by: 1 })).to.deep.include({ ok: false })
  })
})
