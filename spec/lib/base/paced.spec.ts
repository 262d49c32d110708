// Steps with rests between them: the order and the least of a rest hold on any machine, however slow.
import { expect } from 'chai'
import { paced } from '../../../lib/base/paced.js'
import { now, sleep } from '../../../lib/base/time.js'

describe('paced', () => {
  it('answers what each step answers, one after the other', async () => {
    const step = paced(5)
    const done: number[] = []
    for (const number of [1, 2, 3]) {
      const answer = await step(async () => {
        await sleep(1)
        done.push(number)
        return number
      })
      expect(answer).to.equal(number)
    }
    expect(done).to.deep.equal([1, 2, 3])
  })

  it('rests before the next step as long as the last one took, at most so long', async () => {
    const step = paced(20)
    let ended = 0
    await step(async () => {
      await sleep(60)
      ended = now()
    })
    await step(async () => expect(now() - ended).to.be.at.least(19))
  })

  it('rests after a step that failed, too, and passes its failure on', async () => {
    const step = paced(20)
    let ended = 0
    const failing = step(async () => {
      await sleep(30)
      ended = now()
      throw new Error('broken')
    })
    const failure = await failing.catch((error: Error) => error.message)
    expect(failure).to.equal('broken')
    await step(async () => expect(now() - ended).to.be.at.least(19))
  })
})
