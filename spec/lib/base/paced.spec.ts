// Steps with rests between them: the time is the spec's.
import { mock } from 'node:test'
import { expect } from 'chai'
import { paced } from '../../../lib/base/paced.js'

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('paced', () => {
  let now = 0
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  /** Expects that the next step begins after a rest of so long, no sooner. */
  const expectRest = async (step: ReturnType<typeof paced>, ms: number) => {
    let hasBegun = false
    const done = step(async () => {
      hasBegun = true
    })
    mock.timers.tick(ms - 1)
    await settled()
    expect(hasBegun).to.equal(false)
    mock.timers.tick(1)
    await done
  }

  it('answers what each step answers, one after the other', async () => {
    const step = paced(5, () => now)
    const done: number[] = []
    for (const number of [1, 2, 3]) {
      const answer = await step(async () => {
        await settled()
        done.push(number)
        return number
      })
      expect(answer).to.equal(number)
    }
    expect(done).to.deep.equal([1, 2, 3])
  })

  it('rests before the next step as long as the last one took, at most so long', async () => {
    const step = paced(20, () => now)
    for (const [tookMs, restMs] of [
      [7, 7],
      [60, 20],
    ] as const) {
      await step(async () => {
        now += tookMs
      })
      await expectRest(step, restMs)
    }
  })

  it('rests after a step that failed, too, and passes its failure on', async () => {
    const step = paced(20, () => now)
    const failing = step(async () => {
      now += 30
      throw new Error('broken')
    })
    const failure = await failing.catch((error: Error) => error.message)
    expect(failure).to.equal('broken')
    await expectRest(step, 20)
  })
})
