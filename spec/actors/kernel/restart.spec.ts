// Every combination of restart kind, end, history and intensity that the verdict depends on.
import { expect } from 'chai'
import { type ChildSpec, type Exit, judgeExit, MAX_BACKOFF_MS } from '../../../actors/kernel/restart.js'

const spec = (over: Partial<ChildSpec> = {}): ChildSpec => ({
  id: 'c1',
  restart: 'permanent',
  intensity: 3,
  periodMs: 1_000,
  backoffMs: 10,
  shutdownMs: 100,
  ...over,
})

const exit = (at: number, clean = false): Exit => ({ at, clean, reason: clean ? 'done' : 'threw' })

describe('judgeExit', () => {
  it('forgets a child that has not ended', () => {
    expect(judgeExit(spec(), [])).to.deep.equal({ type: 'forget' })
  })

  for (const [restart, clean, type] of [
    ['permanent', false, 'restart'],
    ['permanent', true, 'restart'],
    ['transient', false, 'restart'],
    ['transient', true, 'forget'],
    ['temporary', false, 'forget'],
    ['temporary', true, 'forget'],
  ] as const)
    for (const earlier of [[], [exit(0)], [exit(0, true)]])
      it(`answers ${type} for ${restart}, clean ${clean}, ${earlier.length} earlier exits`, () => {
        expect(judgeExit(spec({ restart }), [...earlier, exit(100, clean)]).type).to.equal(type)
      })

  for (const intensity of [0, 1, 2, 3, 5])
    for (let count = 1; count <= intensity + 2; count += 1)
      it(`answers ${count > intensity ? 'quarantine' : 'restart'} at exit ${count} of intensity ${intensity}`, () => {
        const exits = Array.from({ length: count }, (_, index) => exit(index))
        expect(judgeExit(spec({ intensity }), exits).type).to.equal(count > intensity ? 'quarantine' : 'restart')
      })

  it('counts exits within the period only, its far end excluded', () => {
    const exits = [exit(0), exit(1), exit(2), exit(1_001)]
    expect(judgeExit(spec({ intensity: 1 }), [exit(0), exit(1_000)]).type).to.equal('restart')
    expect(judgeExit(spec({ intensity: 1 }), exits)).to.deep.equal({
      type: 'quarantine',
      reason: 'c1: 2 exits within 1000 ms, the last: threw',
    })
  })

  it('lengthens the delay with each recent exit, up to a bound', () => {
    const delays = [1, 2, 3, 4, 20].map((count) => {
      const verdict = judgeExit(
        spec({ intensity: 100 }),
        Array.from({ length: count }, () => exit(0)),
      )
      return verdict.type === 'restart' && verdict.delayMs
    })
    expect(delays).to.deep.equal([10, 40, 160, 640, MAX_BACKOFF_MS])
  })

  it('begins with the first delay again after a quiet period', () => {
    expect(judgeExit(spec(), [exit(0), exit(1), exit(5_000)])).to.deep.equal({ type: 'restart', delayMs: 10 })
  })
})
