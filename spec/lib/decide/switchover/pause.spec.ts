// Pauses of writes: measured in operations that ended, expected of those to come.
import { expect } from 'chai'
import { measurePause, notePause, withPause } from '../../../../lib/decide/switchover/pause.js'
import { freshMemory, type Memory } from '../../../../lib/model/memory.js'
import type { Operation } from '../../../../lib/model/operation/operation.js'
import type { Preview } from '../../../../lib/model/operation/preview.js'

const operation: Operation = {
  ...{ id: 'switchover-1', kind: 'switchover', owner: 'ann', reason: 'asked', startedAt: 1_000, deadlineAt: 9_000 },
  ...{ phase: 'succeeded', endedAt: 1_400 },
  steps: [
    { command: { type: 'check-login', server: 'db2' } as never, state: 'done', startedAt: 1_000, tookMs: 100 },
    { command: { type: 'freeze', server: 'db1' } as never, state: 'done', startedAt: 1_100, tookMs: 10 },
    { command: { type: 'make-writable', server: 'db2' } as never, state: 'done', startedAt: 1_180, tookMs: 5 },
    { command: { type: 'repoint', server: 'db3' } as never, state: 'done', startedAt: 1_200, tookMs: 50 },
  ],
}

const plan = (kind: string, blocking: number): Preview => ({
  ...{ kind, possible: true, risks: [] },
  steps: Array.from({ length: blocking }, () => ({ text: 'Freeze', blocksWrites: true })),
})

const remembered = (...ms: number[]): Memory => ({
  ...freshMemory,
  pauses: ms.map((each, at) => ({ kind: 'switchover', at, ms: each })),
})

describe('measurePause', () => {
  it('lasts from the freeze until the new primary is open', () => {
    expect(measurePause(operation)).to.deep.equal({ kind: 'switchover', at: 1_400, ms: 85 })
  })

  it('of a failover begins with the operation', () => {
    expect(measurePause({ ...operation, kind: 'failover' })?.ms).to.equal(185)
  })

  it('is none of an operation that failed, moved nothing, or closed nothing', () => {
    expect(measurePause({ ...operation, phase: 'rolled-back' })).to.equal(undefined)
    expect(measurePause({ ...operation, kind: 'repair' })).to.equal(undefined)
    expect(measurePause({ ...operation, steps: operation.steps.slice(2) })).to.equal(undefined)
  })

  it('is remembered with the ten latest', () => {
    const memory = Array.from({ length: 12 }).reduce<Memory>((known) => notePause(known, operation), freshMemory)
    expect(memory.pauses).to.have.length(10)
    expect(notePause(freshMemory, { ...operation, phase: 'failed' })).to.equal(freshMemory)
  })
})

describe('withPause', () => {
  it('expects the median of what was measured, null where nothing was', () => {
    expect(withPause(plan('switchover', 3), remembered(20, 900, 30)).pauseMs).to.equal(30)
    expect(withPause(plan('switchover', 3), freshMemory).pauseMs).to.equal(null)
    expect(withPause(plan('failover', 1), remembered(20)).pauseMs).to.equal(null)
  })

  it('expects none where no step blocks writes', () => {
    expect(withPause(plan('switchover', 0), remembered(20)).pauseMs).to.equal(0)
  })

  it('counts both switchovers of rolling work, and nothing for a primary that is stopped', () => {
    expect(withPause(plan('rolling-restart', 2), remembered(20)).pauseMs).to.equal(40)
    expect(withPause(plan('stop', 1), remembered(20)).pauseMs).to.equal(null)
  })
})
