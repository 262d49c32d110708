// Lines of logins.
import { expect } from 'chai'
import { createTurns } from '../../../../http/gateway/session/turns.js'

/** A clock that a spec moves: pauses end in the order of their times. */
function fakeTime() {
  let at = 0
  let pauses: { at: number; end: () => void }[] = []
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    now: () => at,
    pause: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        pauses.push({ at: at + ms, end: resolve })
        signal.addEventListener('abort', () => resolve(), { once: true })
      }),
    until: async (time: number) => {
      await settle()
      for (;;) {
        const [first] = pauses.toSorted((left, right) => left.at - right.at)
        if (!first || first.at > time) break
        pauses = pauses.filter((pause) => pause !== first)
        at = first.at
        first.end()
        await settle()
      }
      at = time
      await settle()
    },
  }
}

describe('createTurns', () => {
  const [everyMs, longestMs] = [100, 300]
  const line = { key: 'ann', everyMs, longestMs }
  const begin = (parts: { readonly draws?: readonly number[]; readonly most?: number } = {}) => {
    const time = fakeTime()
    const draws = [...(parts.draws ?? [])]
    const most = parts.most === undefined ? {} : { most: parts.most }
    const turns = createTurns({ ...time, ...most, random: () => draws.shift() ?? 0.999 })
    const ends: string[] = []
    const wait = (name: string, which = line) =>
      void turns.wait(which).then((came) => ends.push(`${name} ${came ? 'in' : 'out'} at ${time.now()}`))
    return { ...time, ends, wait }
  }

  it('gives turns an interval apart, in the order of coming', async () => {
    const { wait, ends, until } = begin()
    for (const name of ['a', 'b', 'c']) wait(name)
    await until(1_000)
    expect(ends).to.deep.equal(['a in at 0', 'b in at 100', 'c in at 200'])
    wait('d')
    await until(1_000)
    expect(ends.at(-1)).to.equal('d in at 1000')
  })

  it('refuses one by chance where the line is full: one that waits, whose turn the new one takes, or the new one', async () => {
    const { wait, ends, until } = begin({ draws: [0.3, 0.8] })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) wait(name)
    await until(0)
    expect(ends).to.have.members(['a in at 0', 'c out at 0', 'f out at 0'])
    await until(1_000)
    expect(ends.slice(3)).to.deep.equal(['b in at 100', 'e in at 200', 'd in at 300'])
  })

  it('keeps the lines of other keys apart', async () => {
    const { wait, ends, until } = begin()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) wait(name)
    wait('bob', { ...line, key: 'bob' })
    await until(0)
    expect(ends).to.include('bob in at 0')
  })

  it('takes the place from the longest line where all together are full', async () => {
    const { wait, ends, until } = begin({ draws: [0], most: 3 })
    const bob = { ...line, key: 'bob' }
    for (const name of ['a', 'b', 'c', 'd']) wait(name)
    for (const name of ['bob', 'bob again']) wait(name, bob)
    await until(1_000)
    expect(ends).to.include.members(['b out at 0', 'bob in at 0', 'bob again in at 100', 'c in at 200', 'd in at 300'])
  })

  it('lets in as many of those that ask once as of those that ask without a pause', async () => {
    let seed = 7
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const time = fakeTime()
    const turns = createTurns({ ...time, random })
    const counts = { crowd: 0, crowdIn: 0, lone: 0, loneIn: 0 }
    for (let tick = 0; tick < 4_000; tick += 1) {
      const isLone = tick % 5 === 3
      counts[isLone ? 'lone' : 'crowd'] += 1
      void turns.wait(line).then((came) => {
        if (came) counts[isLone ? 'loneIn' : 'crowdIn'] += 1
      })
      await time.until((tick + 1) * 25)
    }
    const [lone, crowd] = [counts.loneIn / counts.lone, counts.crowdIn / counts.crowd]
    expect(lone).to.be.within(0.2, 0.3)
    expect(crowd).to.be.within(0.2, 0.3)
  })
})
