// Work that is bounded in number.
import { expect } from 'chai'
import { limitConcurrency } from '../../../../http/gateway/session/concurrency-limit.js'
import { ok } from '../../../../lib/base/result.js'

describe('limitConcurrency', () => {
  it('runs no more at a time than it has places, and refuses what finds no place to wait', async () => {
    const limit = limitConcurrency({ running: 2, waiting: 1 })
    const releases: (() => void)[] = []
    let most = 0
    let running = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => releases.push(resolve))
      running -= 1
      return ok('done')
    }
    const all = [limit(work), limit(work), limit(work), limit(work)]
    const refused = await Promise.race(all)
    expect(refused.ok ? '' : refused.failure.code).to.equal('mailbox-full')
    const drain = setInterval(() => releases.shift()?.(), 1)
    const results = await Promise.all(all)
    clearInterval(drain)
    expect(results.filter(({ ok: good }) => good)).to.have.length(3)
    expect(most).to.equal(2)
  })

  it('frees the place of work that throws', async () => {
    const limit = limitConcurrency({ running: 1, waiting: 0 })
    const failed = await limit(() => Promise.reject(new Error('broken'))).catch((error: Error) => error.message)
    expect(failed).to.equal('broken')
    expect(await limit(async () => ok(1))).to.deep.equal(ok(1))
  })
})
