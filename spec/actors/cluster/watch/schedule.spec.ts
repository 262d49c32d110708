import { expect } from 'chai'
import {
  healthyInterval,
  nextProbe,
  type ProbeContext,
  phase,
  probeDeadline,
} from '../../../../actors/cluster/watch/schedule.js'
import { primary } from '../../../support/simulator/situation.js'

const pace = { watched: 3, tickerMs: 2_000 }
const calm: ProbeContext = {
  server: primary(),
  isPrimary: true,
  primarySuspect: false,
  mayWakeWritable: false,
  pace,
}
const refused = {
  ...primary(),
  observation: 'refused',
  refusals: 1,
  failures: 1,
  refusedSince: primary().observedAt,
} as const
const gone = { ...refused, refusals: 7, stateName: 'failed', observedAt: refused.observedAt + 60 } as const

describe('healthyInterval', () => {
  for (const [watched, tickerMs, interval] of [
    [3, 2_000, 500],
    [600, 2_000, 600],
    [5_000, 2_000, 2_000],
    [5_000, 100, 500],
  ] as const)
    it(`is ${interval} ms with ${watched} servers on the thread and a ticker of ${tickerMs} ms`, () => {
      expect(healthyInterval({ watched, tickerMs })).to.equal(interval)
    })
})

describe('nextProbe', () => {
  it('probes a server that answers at the normal interval', () => {
    expect(nextProbe(calm)).to.equal(500)
  })

  it('makes every server a witness while the primary is suspect', () => {
    expect(nextProbe({ ...calm, isPrimary: false, primarySuspect: true })).to.equal(100)
  })

  it('asks the witnesses again just before the second probe of a primary that refused, and continues in steps', () => {
    const asked = { ...calm, isPrimary: false, primarySuspect: true }
    const { observedAt } = asked.server
    expect(nextProbe({ ...asked, primaryProbeAt: observedAt + 48 })).to.equal(38)
    expect(nextProbe({ ...asked, primaryProbeAt: observedAt + 9 })).to.equal(100)
  })

  it('probes a second time 50 ms after the first refusal, regardless of the probes between', () => {
    expect(nextProbe({ ...calm, server: refused })).to.equal(50)
    expect(nextProbe({ ...calm, server: { ...refused, refusals: 2, observedAt: refused.observedAt + 9 } })).to.equal(41)
  })

  it('follows a dead primary at every suspect step', () => {
    expect(nextProbe({ ...calm, server: gone })).to.equal(100)
  })

  it('knocks at a former primary, since it may be started writable, in small fleets more often', () => {
    const former = { ...calm, server: gone, isPrimary: false, mayWakeWritable: true }
    expect(nextProbe(former)).to.equal(25)
    expect(nextProbe({ ...former, pace: { ...pace, watched: 3_000 } })).to.equal(100)
    expect(nextProbe({ ...former, server: { ...gone, observation: 'silent' } })).to.equal(100)
    expect(nextProbe({ ...former, mayWakeWritable: false })).to.equal(1_000)
  })

  it('probes less often what has been down for long', () => {
    const server = { ...gone, refusals: 700, failingSince: gone.observedAt - 31_000 }
    expect(nextProbe({ ...calm, server })).to.equal(500)
  })

  it('waits longer and longer where no server of the cluster was ever up, and starts again with each request', () => {
    const pauseAfter = (ms: number, hurriedAt = 0) =>
      nextProbe(
        {
          ...{ ...calm, isPrimary: false, neverUp: true },
          server: { ...gone, refusals: 700, failingSince: gone.observedAt - ms },
        },
        hurriedAt,
      )
    expect([0, 10_000, 60_000, 300_000, 3_600_000].map((ms) => pauseAfter(ms))).to.deep.equal([
      1_000, 1_000, 6_000, 30_000, 30_000,
    ])
    expect(pauseAfter(3_600_000, gone.observedAt - 20_000)).to.equal(2_000)
  })

  it('does not knock at a server that refuses the login faster than once a second', () => {
    expect(nextProbe({ ...calm, server: { ...primary(), observation: 'rejected' } })).to.equal(1_000)
  })
})

describe('probeDeadline', () => {
  const connectMs = 5_000
  const from = (tripMs: number) => ({ tripMs, connectMs })
  const near = from(1)
  const silent = { ...calm, server: { ...refused, observation: 'silent', stateName: 'suspect' } } as const

  it('is short while silence must be distinguished from life', () => {
    expect(probeDeadline(silent, near)).to.equal(100)
    expect(probeDeadline({ ...calm, server: primary(1, {}, { stateName: 'primary' }) }, near)).to.equal(300)
  })

  it('gives a slow link the round trips it needs', () => {
    expect(probeDeadline(silent, from(50))).to.equal(600)
    expect(probeDeadline(silent, from(900))).to.equal(10_000)
  })

  it('is as long as a connection may take at a server that is new or failed', () => {
    expect(probeDeadline({ ...silent, server: { ...silent.server, stateName: 'failed' } }, near)).to.equal(5_000)
    expect(probeDeadline({ ...silent, server: { ...silent.server, observation: 'unseen' } }, near)).to.equal(5_000)
  })

  it('gives a failed server that is far away no less than it had before', () => {
    const failed = { ...silent, server: { ...silent.server, stateName: 'failed' } } as const
    expect(probeDeadline(failed, from(600))).to.equal(7_200)
    expect(probeDeadline(failed, from(2_000))).to.equal(10_000)
  })
})

describe('phase', () => {
  it('spreads servers over the interval', () => {
    const phases = Array.from({ length: 100 }, (_, index) => phase(`db${index}`, 1_000))
    expect(Math.max(...phases)).to.be.lessThan(1_000)
    expect(new Set(phases).size).to.be.greaterThan(90)
  })
})
