// How long a failover rests that failed, and what ends its rest.
import { expect } from 'chai'
import { SECOND } from '../../../../lib/base/time.js'
import {
  type Attempts,
  judgeAttempts,
  keepAttempts,
  lockedOutIn,
  mayAttempt,
  noteAttempt,
} from '../../../../lib/decide/failover/attempts.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Operation } from '../../../../lib/model/operation/operation.js'
import { NOW, primary, refused, replica } from '../../../support/simulator/situation.js'

const commands: readonly Command[] = [
  { type: 'stop-replication', server: 'db2' },
  { type: 'start-replication', server: 'db2' },
]
const other: readonly Command[] = [{ type: 'stop-replication', server: 'db3' }]
const failed = (draft: Partial<Operation> = {}): Operation => ({
  ...{ id: 'failover-1', kind: 'failover', owner: 'manager', reason: '', startedAt: NOW, deadlineAt: NOW },
  phase: 'rolled-back',
  message: 'error 1226',
  steps: commands.map((command, index) => ({ command, state: index === 0 ? 'failed' : 'skipped' })),
  ...draft,
})
const dead = (failingSince = NOW) => primary(1, {}, { ...refused, failingSince })
const seenWith = (two = replica(2), one = dead()) => ({ primary: 'db1', servers: [one, two, replica(3)] })
const seen = seenWith()

/** The attempts after so many that failed, each as soon as it might begin, and when the last one did. */
function afterFailed(count: number): Attempts {
  let [attempts, now]: [Attempts | undefined, number] = [undefined, NOW]
  for (let index = 0; index < count; index += 1) {
    attempts = noteAttempt(attempts, { operation: failed(), commands }, { seen, now })
    now = attempts?.nextAt ?? 0
  }
  if (!attempts) throw new Error('one failed')
  return attempts
}

describe('attempts of a failover', () => {
  it('rest 1, 2, 5, 10 and 30 s, and 30 s from then on', () => {
    const ends = [1, 2, 3, 4, 5, 6, 7].map((count) => afterFailed(count).nextAt - NOW)
    const rests = ends.map((end, index) => (end - (ends[index - 1] ?? 0)) / SECOND)
    expect(rests).to.deep.equal([1, 2, 5, 10, 30, 30, 30])
  })

  it('begin when the rest is over, and not before', () => {
    const attempts = afterFailed(3)
    expect(mayAttempt(undefined, commands, { seen, now: NOW })).to.equal(true)
    expect(mayAttempt(attempts, commands, { seen, now: attempts.nextAt - 1 })).to.equal(false)
    expect(mayAttempt(attempts, commands, { seen, now: attempts.nextAt })).to.equal(true)
  })

  it('do not rest when another plan is due, or the server that refused is read otherwise, each once', () => {
    const attempts = afterFailed(3)
    const now = attempts.nextAt - 1
    expect(mayAttempt(attempts, other, { seen, now })).to.equal(true)
    for (const two of [
      replica(2, { server: { observation: 'rejected' } }),
      replica(2, { server: { restartedAt: NOW } }),
    ]) {
      const changed = seenWith(two)
      expect(mayAttempt(attempts, commands, { seen: changed, now })).to.equal(true)
      const again = noteAttempt(attempts, { operation: failed(), commands }, { seen: changed, now })
      expect(mayAttempt(again, commands, { seen: changed, now })).to.equal(false)
      expect(mayAttempt(again, commands, { seen, now })).to.equal(false)
    }
    // What was read of another server does not change what failed.
    const three = { primary: 'db1', servers: [dead(), replica(2), replica(3, { server: { observation: 'silent' } })] }
    expect(mayAttempt(attempts, commands, { seen: three, now })).to.equal(false)
  })

  it('are over when the primary answered in between, and count from one with its next death', () => {
    const attempts = afterFailed(4)
    const later = seenWith(replica(2), dead(NOW + 60 * SECOND))
    expect(keepAttempts(attempts, seen)).to.equal(attempts)
    expect(keepAttempts(attempts, seenWith(replica(2), primary()))).to.equal(undefined)
    expect(keepAttempts(attempts, later)).to.equal(undefined)
    expect(mayAttempt(attempts, commands, { seen: later, now: NOW })).to.equal(true)
    const first = noteAttempt(attempts, { operation: failed(), commands }, { seen: later, now: NOW })
    expect(first).to.include({ count: 1, nextAt: NOW + SECOND })
  })

  it('are over when the primary that answered during the attempt takes writes again, and not while it is closed', () => {
    const closed = seenWith(replica(2), primary(1, { readOnly: true }))
    const attempts = noteAttempt(undefined, { operation: failed(), commands }, { seen: closed, now: NOW })
    expect(keepAttempts(attempts, closed)).to.equal(attempts)
    expect(keepAttempts(attempts, seenWith(replica(2), primary()))).to.equal(undefined)
  })

  it('end with a change of the primary; what a person asked for neither counts nor ends a rest', () => {
    const attempts = afterFailed(2)
    const note = (draft: Partial<Operation>) =>
      noteAttempt(attempts, { operation: failed(draft), commands }, { seen, now: NOW })
    expect(note({ phase: 'succeeded' })).to.equal(undefined)
    expect(note({ phase: 'succeeded', owner: 'ann' })).to.equal(undefined)
    expect(note({ owner: 'ann' })).to.equal(attempts)
    expect(note({ kind: 'repair' })).to.equal(attempts)
    expect(note({ kind: 'switchover' })).to.equal(attempts)
  })

  it('are one finding with their number, the cause and the time of the next one', () => {
    const [{ code, detail } = { code: '', detail: '' }] = judgeAttempts(afterFailed(2), seen)
    expect(code).to.equal('ERR00189')
    expect(detail).to.match(/^2 failed, the latest with: error 1226\. The next one: \d{4}-\d\d-\d\dT/)
  })

  describe('that MySQL refused because of a lock of a backup', () => {
    const holders = [{ id: 12, user: 'backup', host: '10.0.0.9', seconds: 34, isIdle: true }] as const
    const heldLock = { kind: 'instance', holders, more: 0, since: NOW } as const
    const refusal = 'Promote: error 3857: Cannot stop SQL thread while the instance is locked for backup.'
    const held = seenWith(replica(2, { server: { heldLock } }))
    const noted = noteAttempt(
      undefined,
      { operation: failed({ message: refusal }), commands },
      { seen: held, now: NOW },
    )
    if (!noted) throw new Error('it failed')

    it('name the server that refused', () => {
      expect(lockedOutIn(noted)).to.equal('db2')
      expect(lockedOutIn(afterFailed(1))).to.equal(undefined)
      expect(lockedOutIn(undefined)).to.equal(undefined)
    })

    it('wait for the sessions that the finding names, and for a time where none is known', () => {
      const [locked] = judgeAttempts(noted, held)
      expect(locked?.detail).to.include('The next one follows when the lock is gone: session 12 of backup@10.0.0.9')
      expect(judgeAttempts(noted, seen)[0]?.detail).to.match(/The next one: \d{4}-/)
      expect(judgeAttempts(afterFailed(1), held)[0]?.detail).to.match(/The next one: \d{4}-/)
    })
  })
})
