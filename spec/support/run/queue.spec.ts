// What runs beside what.
import { expect } from 'chai'
import { createQueue, runQueued } from './queue.js'
import type { Task } from './tasks.js'

const task = (name: string, cores: number): Task => ({
  ...{ name, files: [`dist/spec/${name}.spec.js`], expectedMs: 1, cores, startsPrograms: true },
})

const taken = (take: () => Task | undefined): readonly string[] => {
  const next = take()
  return next ? [next.name, ...taken(take)] : []
}

describe('createQueue', () => {
  it('starts in the given order while the sum fits the processors', () => {
    const { take } = createQueue([task('a', 0.7), task('b', 0.7), task('c', 0.6), task('d', 0.1)], {
      cores: 2,
      most: 9,
    })
    expect(taken(take)).to.deep.equal(['a', 'b', 'c'])
  })

  it('starts no more tasks than the most at once', () => {
    const { take } = createQueue([task('a', 0.1), task('b', 0.1), task('c', 0.1)], { cores: 2, most: 2 })
    expect(taken(take)).to.deep.equal(['a', 'b'])
  })

  it('lets a task that needs more than there is run alone, and nothing beside it', () => {
    const [alone, other] = [task('alone', Number.POSITIVE_INFINITY), task('other', 0.1)]
    const { take, release } = createQueue([alone, other], { cores: 2, most: 9 })
    expect(taken(take)).to.deep.equal(['alone'])
    release(alone)
    expect(taken(take)).to.deep.equal(['other'])
  })

  it('lets six pass one that does not fit, and then waits for it', () => {
    const [long, heavy] = [task('long', 1), task('heavy', 1.5)]
    const small = Array.from({ length: 9 }, (_, index) => task(`small ${index}`, 0.1))
    const { take, release } = createQueue([long, heavy, ...small], { cores: 2, most: 20 })
    expect(taken(take)).to.deep.equal(['long', ...[0, 1, 2, 3, 4, 5].map((index) => `small ${index}`)])
    release(long)
    for (const each of small) release(each)
    expect(taken(take)).to.deep.equal(['heavy', 'small 6', 'small 7', 'small 8'])
  })
})

describe('runQueued', () => {
  const tasks = [
    task('a', 0.7),
    task('b', 1.9),
    task('alone', Number.POSITIVE_INFINITY),
    task('last', Number.POSITIVE_INFINITY),
  ]

  for (const most of [1, 2, 9])
    it(`runs every task once, those that run alone too, with ${most} at once at most`, async () => {
      const ran: string[] = []
      let running = 0
      let beside = 0
      await runQueued(tasks, { cores: 2, most }, async ({ name }) => {
        running += 1
        await new Promise(setImmediate)
        beside = Math.max(beside, running)
        running -= 1
        ran.push(name)
      })
      expect(ran).to.deep.equal(['a', 'b', 'alone', 'last'])
      expect(beside).to.equal(1)
    })
})
