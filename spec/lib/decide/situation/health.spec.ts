// What is known of a server after one more probe.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { applyReading } from '../../../../lib/decide/situation/health.js'
import type { Reading } from '../../../../lib/model/server/reading.js'
import { readAt, type ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  type ChannelDraft,
  channel,
  NOW,
  replica,
  server,
  stateOf,
} from '../../../support/simulator/situation.js'

const probed = (observation: Reading['observation'], at: number, draft: Partial<Reading> = {}): Reading => ({
  server: 'db2',
  at: NOW + at,
  tookMs: 5,
  observation,
  ...draft,
})

const answers = (
  at: number,
  draft: Partial<ChannelDraft> = {},
  uptimeSeconds = 10_000 + Math.floor(at / SECOND),
): Reading =>
  probed('answered', at, { state: stateOf(2, { uptimeSeconds, channels: [channel({ source: 1, ...draft })] }) })

const seen = (...readings: readonly Reading[]): ServerSnapshot =>
  readings.reduce((known, reading) => applyReading(known, reading, reading.at), replica(2))

const arrivedAt = (known: ServerSnapshot): number => (known.arrivals?.['']?.at ?? 0) - NOW

describe('applyReading', () => {
  it('counts failed probes from when the first of them began', () => {
    expect(seen(probed('silent', 1000, { tookMs: 500 }), probed('silent', 1600))).to.include({
      failures: 2,
      failingSince: NOW + 500,
      observation: 'silent',
    })
  })

  it('counts refused probes from when the first arrived, and only consecutive ones', () => {
    expect(seen(probed('refused', 100), probed('refused', 150))).to.include({
      refusals: 2,
      refusedSince: NOW + 100,
      failures: 2,
    })
    expect(seen(probed('refused', 100), probed('silent', 200), probed('refused', 300))).to.include({
      refusals: 1,
      refusedSince: NOW + 300,
      failures: 3,
    })
  })

  it('forgets failures with an answer, and with a refused login', () => {
    for (const alive of [answers(300), probed('rejected', 300, { error: { code: '1045', message: 'denied' } })]) {
      const known = seen(probed('refused', 100), probed('refused', 200), alive)
      expect(known).to.include({ failures: 0, refusals: 0 })
      expect(known).to.not.have.any.keys('failingSince', 'refusedSince')
    }
  })

  it('dates a state from when it was asked for, after the login, whatever the probes after it take', () => {
    const [tookMs, readMs] = [900, 300]
    const answer = { ...answers(1_000), tookMs, readMs }
    expect(readAt(seen(answer))).to.equal(NOW + 700)
    expect(readAt(seen(answer, { ...probed('silent', 5_000), tookMs })), 'a probe after it').to.equal(NOW + 700)
    expect(readAt(seen({ ...answers(1_000), tookMs })), 'nothing else is known').to.equal(NOW + 100)
  })

  it('keeps the last reported state while it does not answer', () => {
    expect(seen(answers(100), probed('silent', 700)).state?.serverNumber).to.equal(2)
  })

  it('ignores a probe that is older than what is known', () => {
    expect(seen(answers(500), probed('refused', 400)).observation).to.equal('answered')
  })

  it('ignores a probe that began before the server answered another one', () => {
    expect(seen(answers(500), probed('silent', 700, { tookMs: 400 })).failures).to.equal(0)
  })

  it('notices what comes in: events, heartbeats, a new connection', () => {
    expect(arrivedAt(seen(answers(100), answers(200)))).to.equal(0)
    expect(arrivedAt(seen(answers(100, { receivedMark: 'more' })))).to.equal(100)
    expect(arrivedAt(seen(answers(100, { heartbeats: 2 })))).to.equal(100)
    expect(arrivedAt(seen(answers(100, { io: 'connecting' }), answers(200, { io: 'running' })))).to.equal(200)
    expect(arrivedAt(seen(answers(100, { io: 'connecting' })))).to.equal(0)
  })

  it('counts the first probe of a channel as an arrival', () => {
    expect(arrivedAt(applyReading(server(2), answers(400), NOW + 400))).to.equal(400)
  })

  it('notices a restart by an uptime that fell, or that is shorter than the absence', () => {
    expect(seen(answers(1000, {}, 3)).restartedAt).to.equal(NOW + 1000)
    const young = applyReading(server(2), answers(0, {}, 4), NOW)
    expect(applyReading(young, answers(60_000, {}, 30), NOW + 60_000).restartedAt).to.equal(NOW + 60_000)
    expect(seen(answers(1000), answers(2000))).to.not.have.property('restartedAt')
  })

  it('begins again with another server at the address, which is no restart without a request', () => {
    const other = probed('answered', 1000, { state: stateOf(3, { uptimeSeconds: 20_000 }) })
    const known = applyReading(server(2), answers(0), NOW)
    const swapped = applyReading(known, other, other.at)
    expect(swapped.restartedAt).to.equal(NOW + 1000)
    expect(swapped).to.not.have.property('restartedUnasked')
    expect(applyReading(swapped, answers(2000), NOW + 2000).restartedAt).to.equal(NOW + 2000)
  })

  it('notices a second start within a second of the first by the connection that was refused in between', () => {
    const first = seen(answers(60_200, {}, 0))
    const refused = applyReading(first, probed('refused', 60_400), NOW + 60_400)
    expect(applyReading(refused, answers(60_600, {}, 0), NOW + 60_600).restartedAt).to.equal(NOW + 60_600)
    expect(applyReading(first, answers(60_600, {}, 0), NOW + 60_600).restartedAt).to.equal(NOW + 60_200)
    expect(applyReading(refused, answers(61_600, {}, 2), NOW + 61_600).restartedAt).to.equal(NOW + 60_200)
  })

  it('remembers when it was opened or closed, or got another source', () => {
    expect(seen(answers(10), answers(20))).to.not.have.property('turnedAt')
    const open = probed('answered', 10, { state: stateOf(2, { readOnly: false }) })
    const opened = [answers(5), open, { ...open, at: NOW + 20 }] as const
    expect(seen(...opened).turnedAt).to.equal(NOW + 10)
    expect(seen(...opened, answers(30)).turnedAt).to.equal(NOW + 30)
    expect(seen(answers(30), answers(40, { source: 9 })).turnedAt).to.equal(NOW + 40)
  })

  it('remembers when it was last open, acknowledging, and a waiting source', () => {
    const open = probed('answered', 10, { state: stateOf(2, { readOnly: false, semiSync: acknowledgedSource() }) })
    expect(seen(open, answers(20))).to.include({ writableAt: NOW + 10, semiSourceAt: NOW + 10 })
    const acknowledging = probed('answered', 10, { state: stateOf(2, { semiSync: acknowledgingReplica }) })
    expect(seen(acknowledging, answers(20)).inSyncAt).to.equal(NOW + 10)
  })
})
