// Every best-effort command of a change of the primary says what its failure means, and who repairs it.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { planFailover } from '../../../../lib/decide/failover/failover.js'
import { planSwitchover } from '../../../../lib/decide/switchover/switchover.js'
import { judgeUndone, noteUndone } from '../../../../lib/decide/watching/left-undone.js'
import { lossesOf } from '../../../../lib/effect/plan/losses.js'
import { findings } from '../../../../lib/model/findings.js'
import { consequences } from '../../../../lib/model/loss/consequences.js'
import { shortfalls } from '../../../../lib/model/loss/shortfall.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { OperationStep, Plan } from '../../../../lib/model/operation/operation.js'
import { beginning } from '../../../support/databases/effects.js'
import {
  acknowledgedSource,
  acknowledgingReplica,
  cutOff,
  NOW,
  primary,
  refused,
  replica,
  situation,
} from '../../../support/simulator/situation.js'

const settings = {
  'failover-event-scheduler': true,
  'failover-event-status': true,
  'failover-pre-script': '/before',
  'failover-post-script': '/after',
}
const semiSync = acknowledgingReplica
const runs = { eventScheduler: true, semiSync: acknowledgedSource(2) }

const plans = (): readonly Plan[] => {
  const alive = [primary(1, runs), replica(2, { state: { semiSync } }), replica(3, { state: { semiSync } })]
  const dead = [primary(1, runs, refused), replica(2, cutOff), replica(3, cutOff)]
  return [
    unwrap(planSwitchover(situation(alive, { settings }), { user: 'ann' })),
    unwrap(planFailover(situation(dead, { settings, memory: { primary: 'db1' } }), { user: 'ann', forced: true })),
  ]
}

const step = (command: Command, state: OperationStep['state']): OperationStep => ({ command, state, message: 'denied' })

describe('consequences', () => {
  it('has a row for every best-effort command of a switchover and a failover', () => {
    const types = new Set(
      plans().flatMap(({ commands }) => commands.flatMap(({ bestEffort, type }) => (bestEffort ? [type] : []))),
    )
    expect(types.size).to.be.above(6)
    expect([...types].filter((type) => consequences[type] === undefined)).to.deep.equal([])
  })

  it('has words for exactly those that fall short, for the line that ends the operation', () => {
    const losing = Object.entries(consequences).flatMap(([type, { loses }]) => (loses ? [type] : []))
    expect(Object.keys(shortfalls)).to.have.members(losing)
  })

  for (const [type, row] of Object.entries(consequences))
    it(`${type}: a loss has a finding and someone who repairs it`, () => {
      expect(row.findings.filter((code) => !(code in findings))).to.deep.equal([])
      if (row.loses) expect([row.findings.length > 0, row.repairs === 'nobody']).to.deep.equal([true, false])
      if (row.repairs === 'operator') expect(row.findings).to.include('WARN0398')
    })

  it('makes losses of events that do not run and of scripts that failed, and none of what was done later', () => {
    const on = { type: 'set-events', server: 'db2', on: true, bestEffort: true } as const
    const script = (file: string) => ({ type: 'run-script', script: file, args: [], bestEffort: true }) as const
    const steps = [step(on, 'failed'), step(script('/a'), 'failed'), step(script('/b'), 'done')]
    expect(lossesOf(steps).map(({ command }) => command)).to.deep.equal(['set-events', 'run-script'])
    expect(lossesOf([...steps, step(on, 'done'), step(script('/a'), 'done')])).to.deep.equal([])
  })

  it('keeps open what nobody repeats until the next change of the primary', () => {
    const [plan] = plans()
    if (!plan) throw new Error('there is a plan')
    const operation = beginning(plan, NOW)
    const ended = { ...operation, phase: 'succeeded' as const }
    const losses = [
      { command: 'enable-events' as const, message: 'denied' },
      { command: 'repoint' as const, message: 'gone' },
    ]
    const memory = noteUndone(freshMemory, { ...ended, losses }, NOW)
    const [finding, ...more] = judgeUndone(memory, NOW)
    expect(more).to.deep.equal([])
    expect(finding?.detail).to.match(/Events that were enabled .*\(denied\)$/)
    expect(judgeUndone(noteUndone(memory, { ...ended, kind: 'rejoin' }, NOW), NOW)).to.have.lengthOf(1)
    expect(judgeUndone(noteUndone(memory, ended, NOW), NOW)).to.deep.equal([])
  })
})
