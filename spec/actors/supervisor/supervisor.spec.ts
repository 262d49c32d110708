// The supervisor on real threads: fifty actors on two of them, one of which misbehaves in each way there is.
import { mock } from 'node:test'
import { expect } from 'chai'
import type { SupervisorOptions } from '../../../actors/supervisor/index.js'
import { WATCH } from '../../../actors/supervisor/supervisor.js'
import { unwrap } from '../../../lib/base/result.js'
import { closedGate, LOOPS, type Misdeed, open as openGate, STOPPED } from '../../support/actors/protocol.js'
import { brokenEntry, counts, lateEntry, openRig, populate, type Rig } from '../../support/actors/rig.js'
import { eventually } from '../../support/wait.js'

const ids = Array.from({ length: 50 }, (_, index) => `c${index}`)
const others = ids.slice(1)
const villain = 'c0'

type RepeatProtocol = { repeat: { in: { text: string; times: number }; out: { bytes: Uint8Array } } }

describe('Supervisor', () => {
  let rig: Rig
  afterEach(async () => {
    await rig.supervisor.stop(500)
    mock.timers.reset()
  })

  /** A rig whose threads are checked by `check` alone. */
  const openWatched = (options: Partial<SupervisorOptions> = {}) => {
    mock.timers.enable({ apis: ['setInterval'] })
    rig = openRig(options)
  }
  const check = (times = 1) => {
    for (let count = 0; count < times; count += 1) mock.timers.tick(WATCH.pollMs)
  }
  /** Checks while `id` loops, each after a beat of every other thread, until `isFound`. */
  const checkUntil = (id: string, isFound: () => boolean) => {
    let seen = rig.supervisor.beats()
    return eventually(
      () => {
        const beats = rig.supervisor.beats()
        const turning = [...beats].filter(([thread, beat]) => beat !== seen.get(thread)).length
        if (rig.supervisor.isUp(id) && rig.supervisor.flags(id, 0) === LOOPS && turning >= beats.size - 1) {
          seen = beats
          check()
        }
        return isFound()
      },
      `the end of the thread of ${id}`,
      { everyMs: 5 },
    )
  }

  const recorded = (crashes: number) => eventually(() => rig.crashes.length >= crashes, `${crashes} crash records`)
  const failure = async (id: string) => {
    const result = await rig.ref(id).ask('count', {})
    return result.ok ? 'none' : result.failure.code
  }

  describe('with 50 actors on 2 threads', () => {
    const open = async () => {
      openWatched({ threads: 2, resourceLimits: { maxOldGenerationSizeMb: 32 } })
      await populate(rig, ids)
    }

    for (const how of ['throw', 'reject', 'late-throw'] satisfies Misdeed[])
      it(`restarts only the actor that fails by ${how}`, async () => {
        await open()
        await rig.ref(villain).ask('misbehave', { how })
        await recorded(1)
        expect(await counts(rig, [villain])).to.deep.equal([1])
        expect(await counts(rig, others)).to.deep.equal(others.map(() => 2))
        expect(rig.crashes[0]).to.deep.include({ actor: villain, cause: 'threw', consequence: 'restart' })
        expect(rig.crashes[0]?.stack).to.include('subject')
      })

    for (const [how, named] of [
      ['loop', true],
      ['exit', true],
      ['late-loop', false],
      ['grow', true],
    ] satisfies [Misdeed, boolean][])
      it(`starts the actors of a thread that ends by ${how} on a fresh one; the other thread goes on`, async () => {
        await open()
        rig.ref(villain).tell('misbehave', { how })
        await checkUntil(villain, () => rig.crashes.length > 0)
        const after = await counts(rig, others)
        expect(after.filter((count) => count === 2)).to.have.length(25)
        expect(after.filter((count) => count === 1)).to.have.length(24)
        expect(await counts(rig, [villain])).to.deep.equal([1])
        expect(rig.crashes[0]).to.deep.include({ cause: 'thread-ended', consequence: 'restart' })
        expect(rig.crashes[0]?.actor).to.equal(named ? villain : undefined)
      })

    it('moves one that ends its thread twice to a separate thread, where it affects no other', async () => {
      await open()
      for (const count of [1, 2]) {
        await rig.ref(villain).ask('misbehave', { how: 'exit' })
        await recorded(count)
      }
      expect(rig.crashes[1]).to.deep.include({ actor: villain, consequence: 'isolate' })
      const before = await counts(rig, others)
      await rig.ref(villain).ask('misbehave', { how: 'exit' })
      await recorded(3)
      expect(rig.crashes[2]?.thread).to.equal('own-3')
      expect(await counts(rig, others)).to.deep.equal(before.map((count) => count + 1))
      expect(await counts(rig, [villain])).to.deep.equal([1])
    })

    it('quarantines one that never starts, while the others keep answering', async () => {
      await open()
      unwrap(rig.supervisor.add('bad', 'subject', { start: 'throw' }))
      await eventually(() => rig.supervisor.quarantined().has('bad'), 'quarantine')
      expect(rig.supervisor.quarantined().get('bad')).to.include('this actor cannot start')
      expect(await failure('bad')).to.equal('quarantined')
      expect(await rig.supervisor.view('bad', 'text')).to.have.nested.property('failure.code', 'quarantined')
      expect(await counts(rig, ids)).to.deep.equal(ids.map(() => 2))
      expect(rig.crashes.map(({ consequence }) => consequence)).to.deep.equal([
        'restart',
        'restart',
        'isolate',
        'restart',
        'restart',
        'quarantine',
      ])
      await eventually(async () => (await rig.supervisor.threads()).length === 2, 'the end of its own thread')
    })
  })

  it('lifts a quarantine on request, with a new init, among the others', async () => {
    rig = openRig()
    await populate(rig, ['c1'])
    unwrap(rig.supervisor.add('bad', 'subject', { start: 'throw' }))
    await eventually(() => rig.supervisor.quarantined().has('bad'), 'quarantine')
    unwrap(rig.supervisor.updateInit('bad', { note: 'fixed' }))
    unwrap(await rig.supervisor.restart('bad'))
    expect(unwrap(await rig.ref('bad').ask('init', {}))).to.deep.equal({ note: 'fixed' })
    expect([...rig.supervisor.quarantined().keys()]).to.deep.equal([])
    const [report] = await rig.supervisor.threads()
    expect(report?.actors).to.equal(2)
    expect(await counts(rig, ['c1'])).to.deep.equal([2])
  })

  it('finds the one that hangs its thread from timers among eight, and stops it alone', async () => {
    openWatched()
    const eight = ids.slice(0, 8)
    for (const id of eight) unwrap(rig.supervisor.add(id, 'subject', id === 'c5' ? { habit: 'late-loop' } : {}))
    await checkUntil('c5', () => rig.supervisor.quarantined().size > 0)
    expect([...rig.supervisor.quarantined().keys()]).to.deep.equal(['c5'])
    const good = eight.filter((id) => id !== 'c5')
    for (const count of await counts(rig, good)) expect(count).to.be.above(0)
  })

  it('settles asks at once when the watchdog finds their thread hung, before it has ended', async () => {
    openWatched()
    await populate(rig, ['c1', 'c2'])
    let settled = 0
    const waiting = [1, 2, 3].map(async () => {
      const answer = await rig.ref('c1').ask('never', {}, { deadlineMs: 60_000 })
      expect(answer).to.have.nested.property('failure.code', 'actor-gone')
      expect(rig.crashes).to.deep.equal([])
      settled += 1
    })
    rig.ref('c2').tell('misbehave', { how: 'loop' })
    await checkUntil('c2', () => settled === 3)
    await Promise.all(waiting)
    await recorded(1)
  })

  it('takes no thread for hung that has much to do in one turn', async () => {
    openWatched()
    await populate(rig, ['c1'])
    const gates = [1, 2, 3].map((flags) => ({ flags, gate: closedGate() }))
    // All are there before the first is handled: the loop does not turn between them.
    const burst = gates.map((payload) => rig.ref('c1').ask('pass', payload, { deadlineMs: 60_000 }))
    for (const { flags, gate } of gates) {
      await eventually(() => rig.supervisor.flags('c1', 0) === flags, `message ${flags} is being handled`, {
        over: () => rig.crashes[0]?.reason,
      })
      check(WATCH.misses)
      openGate(gate)
    }
    for (const result of await Promise.all(burst)) unwrap(result)
    expect(rig.crashes).to.deep.equal([])
    expect(await counts(rig, ['c1'])).to.deep.equal([2])
  })

  it('reads threads directly and by their actors', async () => {
    rig = openRig({ threads: 2 })
    await populate(rig, ['a', 'b'])
    const readers = rig.supervisor.readers<RepeatProtocol>()
    expect(readers).to.have.lengthOf(2)
    for (const reader of [...readers, rig.supervisor.readerOf<RepeatProtocol>('b')])
      expect(await reader?.read('repeat', { text: 'x', times: 2 }, 5_000)).to.have.property('ok', true)
    expect(rig.supervisor.readerOf('c')).to.equal(undefined)
  })

  it('starts the next life from the init of its time', async () => {
    rig = openRig()
    unwrap(rig.supervisor.add('c1', 'subject', { note: 'first' }))
    unwrap(rig.supervisor.updateInit('c1', { note: 'second' }))
    await rig.ref('c1').ask('misbehave', { how: 'throw' })
    expect(unwrap(await rig.ref('c1').ask('init', {}))).to.deep.equal({ note: 'second' })
  })

  describe('asks', () => {
    beforeEach(async () => {
      rig = openRig()
      await populate(rig, ['c1', 'c2'])
    })

    const pending = () => Promise.all([1, 2, 3].map(() => rig.ref('c1').ask('never', {}, { deadlineMs: 60_000 })))

    it('settle at their deadline, no sooner', async () => {
      mock.timers.enable({ apis: ['setTimeout'] })
      let isSettled = false
      const asked = rig
        .ref('c1')
        .ask('never', {}, { deadlineMs: 60_000 })
        .finally(() => {
          isSettled = true
        })
      mock.timers.tick(59_999)
      await rig.ref('c1').ask('count', {})
      expect(isSettled).to.equal(false)
      mock.timers.tick(1)
      expect(await asked).to.have.nested.property('failure.code', 'deadline-passed')
    })

    for (const how of ['throw', 'reject', 'exit'] satisfies Misdeed[])
      it(`settle before their deadline when their actor ends by ${how}`, async () => {
        const waiting = pending()
        await rig.ref('c2').ask('count', {})
        void rig.ref('c1').ask('misbehave', { how })
        for (const result of await waiting) expect(result).to.have.nested.property('failure.code', 'actor-gone')
      })

    it('settle when their actor is removed, and fail afterwards', async () => {
      const { supervisor } = rig
      const kept = rig.ref('c1')
      const waiting = pending()
      await supervisor.remove('c1')
      for (const result of await waiting) expect(result).to.have.nested.property('failure.code', 'actor-gone')
      expect(await kept.ask('count', {})).to.have.nested.property('failure.code', 'actor-gone')
    })

    it('wait for the next life while the actor is restarting', async () => {
      void rig.ref('c1').ask('misbehave', { how: 'throw' })
      await recorded(1)
      expect(await counts(rig, ['c1'])).to.deep.equal([1])
    })

    it('that wait for a life that does not come end at their deadline', async () => {
      rig.supervisor.updateInit('c1', { start: 'hang' })
      void rig.ref('c1').ask('misbehave', { how: 'throw' })
      await recorded(1)
      const held = await rig.ref('c1').ask('count', {}, { deadlineMs: 50 })
      expect(held).to.have.nested.property('failure.code', 'deadline-passed')
    })

    it('past the bound of the mailbox are refused, those to others are not', async () => {
      mock.timers.enable({ apis: ['setTimeout'] })
      const full = Array.from({ length: 256 }, () => rig.ref('c1').ask('never', {}, { deadlineMs: 60_000 }))
      expect(await failure('c1')).to.equal('mailbox-full')
      expect(await failure('c2')).to.equal('none') // the thread has taken what was asked before
      mock.timers.tick(60_000)
      await Promise.all(full)
      expect(await failure('c1')).to.equal('mailbox-full') // its handlers are still at it
    })
  })

  describe('at run time', () => {
    beforeEach(async () => {
      rig = openRig({ threads: 2 })
      await populate(rig, ['c1', 'c2', 'c3'])
    })

    it('adds and removes actors while the others notice nothing', async () => {
      await populate(rig, ['c4', 'c5'])
      unwrap(await rig.supervisor.remove('c4'))
      unwrap(await rig.supervisor.remove('c1'))
      expect(rig.supervisor.ids()).to.deep.equal(['c2', 'c3', 'c5'])
      expect(await counts(rig, ['c2', 'c3', 'c5'])).to.deep.equal([2, 2, 2])
      const actors = (await rig.supervisor.threads()).map((report) => report.actors)
      expect(actors.reduce((sum, count) => sum + count)).to.equal(3)
    })

    it('refuses an id that is taken until its actor is gone, kinds and ids it does not know', async () => {
      const { supervisor } = rig
      expect(supervisor.add('c1', 'subject', {})).to.have.nested.property('failure.code', 'cluster-exists')
      const removal = supervisor.remove('c1')
      expect(supervisor.add('c1', 'subject', {})).to.have.nested.property('failure.code', 'cluster-exists')
      unwrap(await removal)
      unwrap(supervisor.add('c1', 'subject', {}))
      expect(await counts(rig, ['c1'])).to.deep.equal([1])
      expect(supervisor.add('c9', 'nothing', {})).to.have.nested.property('failure.code', 'internal')
      expect(await supervisor.remove('c9')).to.have.nested.property('failure.code', 'unknown-cluster')
      expect(supervisor.ref('c9')).to.equal(undefined)
    })

    it('places each actor on the thread with the fewest', async () => {
      await populate(rig, ['c4', 'c5', 'c6'])
      expect((await rig.supervisor.threads()).map(({ actors }) => actors)).to.deep.equal([3, 3])
    })

    it('ends a life that does not finish its start', async () => {
      await rig.supervisor.stop(100)
      rig = openRig({ startMs: 50 })
      unwrap(rig.supervisor.add('slow', 'subject', { start: 'hang' }))
      await recorded(1)
      expect(rig.crashes[0]).to.deep.include({ actor: 'slow', cause: 'start-failed' })
      expect(rig.crashes[0]?.reason).to.include('no answer in 50 ms')
    })
  })

  describe('stop', () => {
    it('ends everything before the slowest actor has stopped, whatever the actors do', async () => {
      openWatched({ threads: 2 })
      await populate(rig, ['c1', 'c2'])
      for (const id of ['c3', 'c4']) unwrap(rig.supervisor.add(id, 'subject', { stopMs: 3_600_000 }))
      await counts(rig, ['c3', 'c4'])
      const hanging = rig.ref('c1').ask('misbehave', { how: 'loop' }, { deadlineMs: 60_000 })
      await eventually(() => rig.supervisor.flags('c1', 0) === LOOPS, 'it loops')
      await rig.supervisor.stop(500)
      expect(await hanging).to.have.nested.property('failure.code', 'actor-gone')
      expect(rig.supervisor.add('c5', 'subject', {})).to.have.nested.property('failure.code', 'actor-gone')
    })

    it('waits for actors that end in time', async () => {
      rig = openRig()
      unwrap(rig.supervisor.add('c1', 'subject', { stopMs: 100 }))
      await counts(rig, ['c1'])
      await rig.supervisor.stop(60_000)
      expect(rig.supervisor.flags('c1', 0)).to.equal(STOPPED)
      expect(rig.crashes).to.deep.equal([])
    })
  })

  it('reports a thread that opens late and waits for it: a new one would have to load everything again', async () => {
    const late: string[] = []
    rig = openRig({ entry: lateEntry, openMs: 2_000, onLate: (thread) => late.push(thread) })
    await populate(rig, ['c1'])
    expect(late[0]).to.equal('host-1')
    expect(rig.crashes).to.deep.equal([])
  })

  it('keeps trying a thread whose module fails, on record, and still stops', async () => {
    rig = openRig({ entry: brokenEntry })
    unwrap(rig.supervisor.add('c1', 'subject', {}))
    await recorded(2)
    expect(rig.crashes[0]).to.deep.include({ cause: 'thread-ended', reason: 'this module cannot be loaded' })
    expect(rig.supervisor.quarantined().size).to.equal(0)
  })
})
