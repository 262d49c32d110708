// Waiting: what counts as an answer, what a wait that fails reports, and when it ends early or later.
import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import { expect } from 'chai'
import { eventually, next, PATIENCE_MS } from './wait.js'

/** The message of a promise that is rejected. */
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => expect.fail(`resolved with ${value}`),
    (error: Error) => error.message,
  )

/** Answers one after the other, the last one again and again. */
const answers = <T>(...given: readonly [T, ...T[]]) => {
  let asked = 0
  return () => given[Math.min(asked++, given.length - 1)] as T
}

const soon = { everyMs: 1 }
const short = { limitMs: 20, everyMs: 1 }

describe('eventually', () => {
  it('resolves with the first answer that is true', async () => {
    const ask = answers<string | undefined>(undefined, '', 'db2', 'db3')
    expect(await eventually(ask, 'a server', soon)).to.equal('db2')
    expect(await eventually(async () => 7, 'a number')).to.equal(7)
  })

  it('takes a throw and a rejection as "not yet"', async () => {
    let asked = 0
    const ask = () => {
      asked += 1
      if (asked === 1) throw new Error('refused')
      return asked === 2 ? Promise.reject(new Error('reset')) : true
    }
    expect(await eventually(ask, 'it answers', soon)).to.equal(true)
    expect(asked).to.equal(3)
  })

  it('names what was waited for, the last error and the last answer', async () => {
    let asked = 0
    const ask = () => {
      asked += 1
      if (asked > 1) throw new Error(`refused ${asked > 2 ? 'again' : 'once'}`)
      return 0
    }
    // Three questions at least, however late each comes.
    const progress = () => Math.min(asked, 2)
    const failed = await failureOf(eventually(ask, () => `it answers ${Math.min(asked, 3)}`, { ...short, progress }))
    expect(failed).to.equal('not within 20 ms: it answers 3; last error: refused again; last value: 0')
  })

  it('shows no answer that only says no', async () => {
    for (const no of [false, undefined] as const)
      expect(await failureOf(eventually(() => no as boolean | undefined, 'it comes', short))).to.equal(
        'not within 20 ms: it comes',
      )
  })

  it('asks once at least, also when the time is over before', async () => {
    expect(await eventually(() => true, 'it holds', { limitMs: -1 })).to.equal(true)
  })

  it('counts the time from the last sign of progress; an equal one is none', async () => {
    let asked = 0
    // Each question takes longer than the limit.
    const slow = async () => {
      asked += 1
      await new Promise((resolve) => setTimeout(resolve, 10))
      return asked === 4
    }
    const brief = { limitMs: 5, everyMs: 1 }
    expect(await eventually(slow, 'the fourth answer', { ...brief, progress: () => performance.now() })).to.equal(true)
    asked = 0
    const failed = await failureOf(eventually(slow, 'the fourth answer', { ...brief, progress: () => ({ step: 1 }) }))
    expect(failed).to.match(/^not within 5 ms: the fourth answer/)
  })

  it('fails at once with the reason why it can never come', async () => {
    const over = answers<string | undefined>(undefined, 'the server ended')
    const failed = await failureOf(eventually(() => false, 'it listens', { everyMs: 1, over }))
    expect(failed).to.equal('never, since the server ended: it listens')
  })

  it('accepts what came before the end', async () => {
    let ended = false
    // It comes, and the end with it, right after the first question.
    const ask = () => {
      const has = ended
      ended = true
      return has
    }
    const over = () => (ended ? 'it ended' : undefined)
    expect(await eventually(ask, 'the last line', { everyMs: 1, over })).to.equal(true)
    const slow = () => new Promise<boolean>((resolve) => setTimeout(resolve, 50, true))
    expect(await eventually(slow, 'the last line', { over })).to.equal(true)
  })

  it('fails beside a question that is never answered', async () => {
    const hangs = () => new Promise<boolean>(() => undefined)
    expect(await failureOf(eventually(hangs, 'it answers', short))).to.equal(
      'not within 20 ms: it answers; the last question has no answer yet',
    )
  })

  it('does not compile for a question without an answer', async () => {
    const nothing = (): void => undefined
    const failures = [
      // @ts-expect-error
      eventually(nothing, 'nothing', short),
      // @ts-expect-error
      eventually(async () => nothing(), 'nothing', short),
      eventually(
        // @ts-expect-error
        () => {
          nothing()
        },
        'nothing',
        short,
      ),
    ].map(failureOf)
    for (const failed of await Promise.all(failures)) expect(failed).to.equal('not within 20 ms: nothing')
  })
})

describe('next', () => {
  afterEach(() => mock.timers.reset())

  it('resolves with the arguments of the next event', async () => {
    const emitter = new EventEmitter()
    const message = next<[string, number]>(emitter, 'message', 'a message')
    emitter.emit('message', 'ports', 3306)
    expect(await message).to.deep.equal(['ports', 3306])
  })

  it('rejects with an error that comes first', async () => {
    const emitter = new EventEmitter()
    const message = failureOf(next(emitter, 'message', 'a message'))
    emitter.emit('error', new Error('reset'))
    expect(await message).to.equal('reset')
  })

  it('fails when the event does not come, and leaves no listener and no timer behind', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const emitter = new EventEmitter()
    const message = failureOf(next(emitter, 'message', 'the ports'))
    mock.timers.tick(PATIENCE_MS - 1)
    expect(emitter.listenerCount('message')).to.equal(1)
    mock.timers.tick(1)
    expect(await message).to.equal('not within 120000 ms: the ports: no event "message"')
    expect(emitter.eventNames()).to.deep.equal([])
  })
})
