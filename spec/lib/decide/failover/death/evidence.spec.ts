// Whether the primary counts as dead: every kind of probe result, every kind of testimony.
import { expect } from 'chai'
import { SECOND } from '../../../../../lib/base/time.js'
import { judgeEvidence } from '../../../../../lib/decide/failover/death/evidence.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import {
  cutOff,
  heardNothingFor,
  NOW,
  primary,
  type ReplicaDraft,
  refused,
  replica,
  type SituationDraft,
  server,
  silent,
  situation,
} from '../../../../support/simulator/situation.js'

const quietFor = (ms: number): ReplicaDraft => ({ server: heardNothingFor(ms) })
const levelOf = (servers: readonly ServerSnapshot[], draft: SituationDraft = {}) =>
  judgeEvidence(situation(servers, draft)).level
const gone = primary(1, {}, refused)
const hung = primary(1, {}, silent())

describe('judgeEvidence', () => {
  for (const [claim, level, servers] of [
    ['is none while the primary answers', 'none', [primary(), replica(2, cutOff)]],
    [
      'is conclusive when it refuses twice and every replica lost it',
      'conclusive',
      [gone, replica(2, cutOff), replica(3, cutOff)],
    ],
    [
      'is none after one refused probe',
      'none',
      [primary(1, {}, { ...refused, refusals: 1, failures: 1 }), replica(2, cutOff)],
    ],
    [
      'is none when the refused probes are less than 50 ms apart',
      'none',
      [primary(1, {}, { ...refused, refusedSince: NOW - 30 }), replica(2, cutOff)],
    ],
    ['is none when it refuses the manager and a replica receives', 'none', [gone, replica(2, cutOff), replica(3)]],
    [
      'is none when a replica still holds its connection',
      'none',
      [gone, replica(2, cutOff), replica(3, quietFor(2 * SECOND))],
    ],
    [
      'is weak when it is silent and so are its replicas',
      'weak',
      [hung, replica(2, quietFor(4 * SECOND)), replica(3, quietFor(4 * SECOND))],
    ],
    ['is weak when it is silent and its replicas were cut off', 'weak', [hung, replica(2, cutOff)]],
    [
      'is none when it is silent and one replica hears it',
      'none',
      [hung, replica(2, quietFor(4 * SECOND)), replica(3)],
    ],
    [
      'is none when it is silent for less than the heartbeat timeout',
      'none',
      [primary(1, {}, silent(900)), replica(2, quietFor(4 * SECOND))],
    ],
    [
      'waits for a slow heartbeat and half a second',
      'none',
      [hung, replica(2, { ...quietFor(4 * SECOND), heartbeatPeriodSeconds: 5 })],
    ],
    [
      'is weak after a slow heartbeat is overdue',
      'weak',
      [primary(1, {}, silent(6 * SECOND)), replica(2, { ...quietFor(5.6 * SECOND), heartbeatPeriodSeconds: 5 })],
    ],
    ['is none below the counter', 'none', [primary(1, {}, { ...silent(), failures: 4 }), replica(2, cutOff)]],
    ['is none when the login is refused', 'none', [primary(1, {}, { observation: 'rejected' }), replica(2, cutOff)]],
    [
      'is none when no other server answers',
      'none',
      [hung, replica(2, { server: silent() }), replica(3, { server: silent() })],
    ],
    [
      'is none when it refuses and no other server answers',
      'none',
      [primary(1, {}, { ...refused, failures: 9 }), replica(2, { server: silent() })],
    ],
    ['counts no vote of a replica stopped on purpose', 'none', [hung, replica(2, { io: 'stopped' })]],
    [
      'takes refusals up to the counter when no replica can say',
      'conclusive',
      [primary(1, {}, { ...refused, failures: 5 }), replica(2, { io: 'stopped' })],
    ],
    ['is none after two refusals when no replica can confirm', 'none', [gone, replica(2, { io: 'stopped' })]],
    [
      'counts no vote of a replica whose login its source refused',
      'none',
      [hung, replica(2, { io: 'connecting', ioError: { code: 1045, message: 'denied' } })],
    ],
    [
      'counts a source that shuts down as lost',
      'conclusive',
      [gone, replica(2, { io: 'connecting', ioError: { code: 1053, message: 'shutdown' } })],
    ],
    [
      'waits for a probe of a replica that is older than the failure',
      'none',
      [gone, replica(2, { ...cutOff, server: { stateAt: NOW - 500 } })],
    ],
    [
      'is none for a primary in maintenance',
      'none',
      [primary(1, {}, { ...refused, maintenance: true }), replica(2, cutOff)],
    ],
    [
      'is none for a primary stopped on request',
      'none',
      [primary(1, {}, { ...refused, stoppedOnRequest: true }), replica(2, cutOff)],
    ],
    [
      'is none when its name does not resolve: no server was asked',
      'none',
      [primary(1, {}, { ...silent(), error: { code: 'sql-unresolved', message: 'EAI_AGAIN' } }), replica(2, cutOff)],
    ],
    [
      'counts no vote of a replica that cannot resolve the name of its source',
      'none',
      [hung, replica(2, { io: 'connecting', ioError: { code: 2005, message: "Unknown server host 'db1'" } })],
    ],
    ['asks no replicas of other sources', 'none', [hung, replica(2, { ...cutOff, source: 9 }), server(9)]],
  ] as const satisfies readonly (readonly [string, string, readonly ServerSnapshot[]])[])
    it(claim, () => expect(levelOf(servers)).to.equal(level))

  it('still obeys a replica that receives when replicas are not to be waited for', () => {
    const draft = { settings: { 'failover-falsepositive-heartbeat': false } }
    const short = primary(1, {}, silent(700))
    expect(levelOf([short, replica(2, quietFor(800))], draft)).to.equal('weak')
    expect(levelOf([short, replica(2)], draft)).to.equal('none')
  })
})
