// Work that runs at once: so many pieces, one for each key, none after it was given up.
import { expect } from 'chai'
import { createLimit } from '../../../lib/base/limit.js'

/** Work that runs until it is released; what started is in `started`. */
function held() {
  const started: string[] = []
  const releases = new Map<string, () => void>()
  const work = (name: string) => async () => {
    started.push(name)
    await new Promise<void>((resolve) => releases.set(name, resolve))
    return name
  }
  return { started, work, release: (name: string) => releases.get(name)?.() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const never = new AbortController().signal

describe('createLimit', () => {
  it('runs so many pieces of work at once, first come first served', async () => {
    const limit = createLimit(2)
    const { started, work, release } = held()
    const all = ['a', 'b', 'c', 'd'].map((name) => limit.run(work(name)))
    expect(limit.pending).to.equal(4)
    await settled()
    expect([started, limit.busy]).to.deep.equal([['a', 'b'], 2])
    release('b')
    await settled()
    expect(started).to.deep.equal(['a', 'b', 'c'])
    release('a')
    release('c')
    await settled()
    release('d')
    expect(await Promise.all(all)).to.deep.equal(['a', 'b', 'c', 'd'])
    expect([limit.busy, limit.pending, limit.peak]).to.deep.equal([0, 0, 2])
  })

  it('goes on after work that fails, and passes the failure on', async () => {
    const limit = createLimit(1)
    const failed = limit.run(() => Promise.reject(new Error('broken'))).catch((error: Error) => error.message)
    expect(await limit.run(async () => 'next')).to.equal('next')
    expect(await failed).to.equal('broken')
    expect(limit.pending).to.equal(0)
  })

  it('runs one piece at a time for the same key, and others past it', async () => {
    const limit = createLimit(2)
    const { started, work, release } = held()
    const all = [
      limit.runAlone('x', never, work('x1')),
      limit.runAlone('x', never, work('x2')),
      limit.runAlone('y', never, work('y1')),
    ]
    await settled()
    expect(started).to.deep.equal(['x1', 'y1'])
    release('x1')
    await settled()
    expect(started).to.deep.equal(['x1', 'y1', 'x2'])
    release('y1')
    release('x2')
    expect(await Promise.all(all)).to.deep.equal(['x1', 'x2', 'y1'])
  })

  for (const kind of ['runUnless', 'runAlone'] as const)
    it(`never begins what was given up while it waited (${kind})`, async () => {
      const limit = createLimit(1)
      const { started, work, release } = held()
      const ending = new AbortController()
      const take = (name: string, signal: AbortSignal) =>
        kind === 'runAlone' ? limit.runAlone('k', signal, work(name)) : limit.runUnless(signal, work(name))
      const first = take('first', never)
      const second = take('second', ending.signal)
      const third = take('third', never)
      await settled()
      ending.abort()
      expect(await second).to.equal(undefined)
      expect(await take('late', ending.signal)).to.equal(undefined)
      release('first')
      await settled()
      release('third')
      expect([await first, await third]).to.deep.equal(['first', 'third'])
      expect(started).to.deep.equal(['first', 'third'])
      expect([limit.busy, limit.pending]).to.deep.equal([0, 0])
    })

  it('lets what has started finish', async () => {
    const limit = createLimit(1)
    const { work, release } = held()
    const ending = new AbortController()
    const running = limit.runUnless(ending.signal, work('a'))
    await settled()
    ending.abort()
    release('a')
    expect(await running).to.equal('a')
  })
})
