// How it is known whether a server replicates as soon as it starts, and what is remembered of it.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import { planRepair } from '../../../../lib/decide/repair/repair.js'
import { applyReading } from '../../../../lib/decide/situation/health.js'
import { rememberStarts, startsStopped, waitsForStart } from '../../../../lib/decide/situation/stopped-start.js'
import { freshMemory, type Memory } from '../../../../lib/model/memory.js'
import { named } from '../../../../lib/model/server/named.js'
import type { Reading, SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  channel,
  crash,
  NOW,
  primary,
  refused,
  replica,
  silent,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const stopped = { io: 'stopped', sql: 'stopped' } as const
const MINUTE = 60 * SECOND
const tookMs = 1

/** The first answer of a process that started `uptimeSeconds` before. */
const answer = (at: number, uptimeSeconds: number, threads: Partial<typeof stopped> = {}): Reading => ({
  server: 'db2',
  at,
  tookMs,
  observation: 'answered',
  state: stateOf(2, { uptimeSeconds, channels: [channel({ source: 1, ...threads })] }),
})

/** It refused for a while, and answers at NOW + 100 ms. */
const started = (threads: Partial<typeof stopped>): ServerSnapshot =>
  applyReading(replica(2, { server: { ...refused, ended: true } }), answer(NOW + 100, 0, threads), NOW + 100)

const variable = (name: string, value: string) =>
  ({ at: NOW, tookMs, variables: named({ [name]: value }), status: named({}) }) as unknown as SlowReading

const knownBefore = (uptimeSeconds: number): Memory => ({
  ...freshMemory,
  stoppedStarts: { db2: { startedAt: NOW - uptimeSeconds * SECOND } },
})

describe('applyReading', () => {
  it('keeps that a process was seen to end until it answers', () => {
    const refusal: Reading = { server: 'db2', at: NOW, tookMs, observation: 'refused' }
    const once = applyReading(replica(2, { server: { observedAt: NOW - 200, stateAt: NOW - 200 } }), refusal, NOW)
    const twice = applyReading(once, { ...refusal, at: NOW + 300 }, NOW + 300)
    const unseen = applyReading(twice, { ...refusal, at: NOW + 400, observation: 'silent' }, NOW + 400)
    const back = applyReading(unseen, answer(NOW + 600, 0), NOW + 600)
    expect([once.ended, twice.ended, unseen.ended, back.ended]).to.deep.equal([undefined, true, true, undefined])
  })

  it('shows how replication was when a process had just started', () => {
    expect([started(stopped).startedStopped, started({}).startedStopped]).to.deep.equal([true, false])
  })

  it('shows nothing of a process whose start was out of sight', () => {
    const away = replica(2, { server: silent(60 * SECOND) })
    expect(applyReading(away, answer(NOW + 100, 20, stopped), NOW + 100)).not.to.have.property('startedStopped')
  })

  it('shows nothing new of a process that a person stopped', () => {
    const running = started({})
    const later = applyReading(running, answer(NOW + MINUTE, 60, stopped), NOW + MINUTE)
    expect(later.startedStopped).to.equal(false)
  })
})

describe('rememberStarts', () => {
  const noting = (memory: Memory, server: ServerSnapshot): Memory => ({
    ...memory,
    ...rememberStarts(memory, [server]),
  })
  const knows = (memory: Memory, server: ServerSnapshot) => startsStopped(noting(memory, server), server)

  for (const [claim, memory, server, expected] of [
    ['knows a server that was seen to start stopped', freshMemory, started(stopped), true],
    ['does not know one that was seen to start running', knownBefore(10_000), started({}), false],
    ['keeps it while the server does not answer', knownBefore(10_000), replica(2, { server: silent() }), true],
    ['keeps it of the same process', knownBefore(10_000), replica(2), true],
    ['forgets it of a process that was not seen to start and replicates', knownBefore(20_000), replica(2), false],
    ['knows nothing of a process that was stopped and not known before', freshMemory, replica(2, stopped), false],
    [
      'believes the variable of MySQL',
      freshMemory,
      replica(2, { server: { slow: variable('skip_replica_start', 'ON') } }),
      true,
    ],
    [
      'believes it also where it is off',
      knownBefore(10_000),
      replica(2, { server: { slow: variable('skip_slave_start', 'OFF') } }),
      false,
    ],
  ] as const)
    it(claim, () => {
      expect(knows(memory, server)).to.equal(expected)
    })

  it('changes nothing when nothing changed', () => {
    expect(rememberStarts(knownBefore(10_000), [replica(2)])).to.deep.equal({})
  })

  it('sees that one restarted while no manager watched, until it replicates', () => {
    const away = noting(knownBefore(20_000), replica(2, stopped))
    const back = noting(away, replica(2))
    expect([waitsForStart(away, replica(2)), waitsForStart(back, replica(2))]).to.deep.equal([true, false])
    expect(startsStopped(back, replica(2))).to.equal(true)
  })
})

describe('planRepair', () => {
  const commandsOf = (servers: readonly ServerSnapshot[], memory: Partial<Memory> = {}) =>
    planRepair(situation(servers, { memory }))?.commands ?? []
  const start = [{ type: 'start-replication', server: 'db2' }]
  const restarted = replica(2, {
    ...stopped,
    server: { restartedAt: NOW, arrivals: { '': { at: NOW - MINUTE, downSince: NOW } } },
  })

  it('starts a replica that restarted with replication stopped', () => {
    expect(commandsOf([primary(), restarted])).to.deep.equal(start)
  })

  it('starts one that restarted while no manager watched, where it is known to wait', () => {
    expect(commandsOf([primary(), replica(2, stopped)], { stoppedStarts: { db2: { startedAt: 0 } } })).to.deep.equal(
      start,
    )
  })

  it('starts none that a person stopped', () => {
    const known = { stoppedStarts: { db2: { startedAt: NOW - 10_000 * SECOND } } }
    expect(commandsOf([primary(), replica(2, stopped)], known)).to.deep.equal([])
    expect(commandsOf([primary(), replica(2, stopped)])).to.deep.equal([])
  })

  it('starts none below a primary that does not answer', () => {
    expect(commandsOf([primary(1, {}, silent()), restarted, replica(3)])).to.deep.equal([])
  })

  it('starts none below a server that lost the role', () => {
    const [winner, lost] = [primary(3), primary(1, { readOnly: true })]
    const memory = { primary: 'db3', history: [{ ...crash(), newPrimary: 'db3' }] }
    const commands = commandsOf([lost, restarted, winner], memory)
    expect(commands.filter(({ type }) => type === 'start-replication')).to.deep.equal([])
  })
})
