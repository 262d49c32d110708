// From restart in place to a separate thread to quarantine.
import { expect } from 'chai'
import type { ChildSpec } from '../../../actors/kernel/restart.js'
import { judgeOffender, type Offence, splitSuspects } from '../../../actors/supervisor/quarantine.js'
import { POLICY } from '../../../actors/supervisor/supervisor.js'

const spec: ChildSpec = {
  id: 'c1',
  restart: 'permanent',
  intensity: 3,
  periodMs: 1_000,
  backoffMs: 10,
  shutdownMs: 100,
}
const threw = (at: number): Offence => ({ at, clean: false, reason: 'threw', tookThread: false })
const took = (at: number): Offence => ({ at, clean: false, reason: 'hung', tookThread: true })

describe('judgeOffender', () => {
  for (const [title, offences, alone, type] of [
    ['restarts after a throw', [threw(0)], false, 'restart'],
    ['restarts after as many throws as the intensity allows', [threw(0), threw(1), threw(2)], false, 'restart'],
    ['isolates after one throw more', [threw(0), threw(1), threw(2), threw(3)], false, 'isolate'],
    ['restarts in place after the first thread taken', [took(0)], false, 'restart'],
    ['isolates after the second thread taken', [took(0), took(1)], false, 'isolate'],
    ['restarts when the two were far apart', [took(0), took(2_000)], false, 'restart'],
    ['restarts on its own thread', [took(0), took(1), took(2)], true, 'restart'],
    ['quarantines on its own thread past the intensity', [took(0), took(1), threw(2), took(3)], true, 'quarantine'],
  ] as const)
    it(title, () => {
      expect(judgeOffender(spec, { offences, alone }).type).to.equal(type)
    })

  it('forgets a temporary actor wherever it sits', () => {
    for (const alone of [true, false])
      expect(judgeOffender({ ...spec, restart: 'temporary' }, { offences: [took(0)], alone })).to.deep.equal({
        type: 'forget',
      })
  })
})

describe('the policy of clusters', () => {
  /** How long an actor that fails at every start is kept going until the verdict is another one. */
  const patience = (alone: boolean): number => {
    let at = 0
    for (let offences = [threw(at)]; ; offences = [...offences, threw(at)]) {
      const sentence = judgeOffender({ ...POLICY, id: 'c1' }, { offences, alone })
      if (sentence.type !== 'restart') return at
      at += sentence.delayMs
    }
  }

  it('restarts for half a minute, then as long on a separate thread, and is then stopped', () => {
    for (const alone of [false, true]) expect(patience(alone)).to.be.within(20_000, POLICY.periodMs)
  })

  it('costs a moment when the trouble is over at once', () => {
    expect(judgeOffender({ ...POLICY, id: 'c1' }, { offences: [threw(0)], alone: false })).to.deep.equal({
      type: 'restart',
      delayMs: 20,
    })
  })
})

describe('splitSuspects', () => {
  const suspects = ['a', 'b', 'c', 'd', 'e']

  it('leaves it at the first death', () => {
    expect(splitSuspects(suspects, [0], 1_000)).to.deep.equal([])
  })
  it('moves the smaller half from the second on', () => {
    expect(splitSuspects(suspects, [0, 10], 1_000)).to.deep.equal(['d', 'e'])
  })
  it('leaves it at deaths far apart', () => {
    expect(splitSuspects(suspects, [0, 1_000], 1_000)).to.deep.equal([])
  })
  it('comes down to one, wherever the offender sits', () => {
    for (const offender of suspects) {
      let group: readonly string[] = suspects
      for (let round = 0; round < 3; round += 1) {
        const moving = splitSuspects(group, [0, 10], 1_000)
        group = moving.includes(offender) ? moving : group.filter((suspect) => !moving.includes(suspect))
      }
      expect(group).to.deep.equal([offender])
    }
  })
})
