// Jobs that wait for their turn: their order, their ends, and what a restart of the manager makes of them.
import { expect } from 'chai'
import { JobQueue, type JobRun, type QueueParts, type QueueRequest } from '../../../../actors/cluster/backups/queue.js'
import { openSlots } from '../../../../actors/cluster/backups/slots.js'
import { JobBook } from '../../../../actors/cluster/services/jobs.js'
import { openPermits } from '../../../../actors/cluster/services/permits.js'
import { joinLine, MainLine } from '../../../../actors/kernel/line.js'
import { limitJobs } from '../../../../actors/manager/jobs.js'
import { answerPermits } from '../../../../actors/manager/permits.js'
import type { JudgeAsker } from '../../../../actors/protocol/line.js'
import { done, fail, ok, type Result, unwrap } from '../../../../lib/base/result.js'
import { HOUR } from '../../../../lib/base/time.js'
import type { Job, JobTask } from '../../../../lib/model/operation/job.js'
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const service = (name: string): ServiceSpec => ({ kind: 'database', id: name, name, host: name, port: 3306 })

/** A job that runs until the spec ends it. */
interface Held {
  readonly request: QueueRequest
  run?: JobRun
  end: (result: Result<string | undefined>) => void
}

function held(server: string, task: JobTask, more: Partial<QueueRequest> = {}): Held {
  const one: Held = {
    end: () => expect.fail('it does not run'),
    request: {
      ...{ service: service(server), task, user: 'ann', deadlineMs: HOUR },
      work: (run) => {
        one.run = run
        return new Promise((resolve) => {
          one.end = resolve
        })
      },
      ...more,
    },
  }
  return one
}

describe('JobQueue', () => {
  const aborts: AbortController[] = []
  afterEach(() => {
    for (const abort of aborts.splice(0)) abort.abort()
  })

  async function open(directory: string, { name = 'shop', isTidy = true } = {}) {
    const abort = new AbortController()
    aborts.push(abort)
    const book = await JobBook.open({
      directory,
      noted: () => {},
      changed: () => {},
      complain: (text) => expect.fail(text),
    })
    const heard: [string, unknown][] = []
    const acting = new Map<string, number>()
    const line = joinLine({ name, directory })
    const parts = {
      context: { signal: abort.signal },
      state: { settings: defaultSettings() },
      jobs: book,
      slots: openSlots(line),
      permits: openPermits(line),
      services: { busy: (id: string) => acting.get(id) },
      tell: (type: string, payload: unknown) => void heard.push([type, payload]),
    }
    const queue = new JobQueue(parts as unknown as QueueParts)
    if (isTidy) queue.ready()
    abort.signal.addEventListener('abort', () => line.close())
    const states = () => book.list().map(({ task, state }) => `${task} ${state}`)
    return { queue, book, heard, acting, states, end: () => abort.abort() }
  }

  /** Judges who asks, once the spec says how: what is said is why the permission is missing. */
  interface Judging {
    judge?: JudgeAsker
  }

  function managed(limit = 4, judging: Judging = {}): string {
    const working = newDirectory('queue')
    const line = new MainLine(working)
    limitJobs(line, () => limit)
    answerPermits(line, () => judging.judge)
    const end = new AbortController()
    end.signal.addEventListener('abort', () => line.close())
    aborts.push(end)
    return working
  }

  it('begins no heavy job before what an earlier manager left is removed', async () => {
    const { queue, book } = await open(`${managed()}/shop`, { isTidy: false })
    const [heavy, light] = [held('db1', 'backup-logical'), held('db2', 'analyze')]
    for (const one of [heavy, light]) unwrap(queue.begin(one.request))
    await eventually(() => light.run !== undefined, 'the light one runs')
    expect(book.list()[0]?.waits).to.equal('the removal of what an earlier manager left')
    expect(heavy.run).to.equal(undefined)
    queue.ready()
    await eventually(() => heavy.run !== undefined, 'it runs')
  })

  it('runs heavy jobs one after the other and light ones beside them, but one at a time on a server', async () => {
    const { queue, book, states } = await open(`${managed()}/shop`)
    const [first, second] = [held('db1', 'backup-logical'), held('db2', 'backup-physical')]
    const [beside, behind] = [held('db2', 'analyze'), held('db1', 'logs')]
    for (const one of [first, second, beside, behind]) unwrap(queue.begin(one.request))
    await eventually(() => first.run !== undefined && beside.run !== undefined, 'two run')
    expect(states()).to.deep.equal([
      'backup-logical running',
      'backup-physical queued',
      'analyze running',
      'logs queued',
    ])
    queue.poke()
    expect(book.list().map(({ waits }) => waits)).to.deep.equal([
      undefined,
      'job 3 (analyze) of the same server',
      undefined,
      'job 1 (backup-logical) of the same server',
    ])
    first.end(ok('12 MiB'))
    await eventually(() => behind.run !== undefined, 'the server is free')
    expect(second.run).to.equal(undefined)
    beside.end(ok(undefined))
    await eventually(() => second.run !== undefined, 'its turn')
    expect(book.list().map(({ result }) => result)).to.deep.equal(['12 MiB', undefined, 'done', undefined])
  })

  const asker = { user: 'ann', grants: ['db-backup'] }
  it('asks before a job begins whether its user may still have it: not without an answer, never after a refusal', async () => {
    const manager: Judging = {}
    const working = managed(4, manager)
    const { queue, book, heard } = await open(`${working}/shop`)
    const [one, two] = [held('db1', 'backup-logical', { asker }), held('db2', 'restore', { asker })]
    unwrap(queue.begin(one.request))
    unwrap(queue.begin(two.request))
    await eventually(() => book.list()[0]?.waits === 'an answer whether ann may have it', 'nothing answers')
    expect(one.run).to.equal(undefined)
    manager.judge = (who, cluster) =>
      book.list()[0]?.state === 'done' ? `${who.user} is gone from ${cluster}` : undefined
    await eventually(() => one.run !== undefined, 'it is permitted')
    one.end(ok(undefined))
    await eventually(() => book.list()[1]?.state === 'cancelled', 'the next one is not')
    expect(two.run).to.equal(undefined)
    expect(book.list()[1]).to.include({ result: 'cancelled by the manager: ann is gone from shop' })
    expect(heard).to.deep.include(['note-revoked', { work: 'Job 2 (restore of db2)', reason: 'ann is gone from shop' }])
  })

  it('ends what runs with the permission of its user where that is safe, and lets the rest do what it began', async () => {
    const manager: Judging = {}
    const working = managed(4, manager)
    manager.judge = () => undefined
    const { queue, states } = await open(`${working}/shop`)
    const [checksum, restore] = [held('db1', 'checksum', { asker }), held('db2', 'restore', { asker })]
    for (const one of [checksum, restore]) unwrap(queue.begin(one.request))
    await eventually(() => checksum.run !== undefined && restore.run !== undefined, 'both run')
    manager.judge = () => 'ann is gone'
    await eventually(() => checksum.run?.signal.aborted === true, 'the checksum is to end')
    checksum.end(fail('job-cancelled', 'it ends'))
    await eventually(() => states().includes('checksum cancelled'), 'it is cancelled')
    expect(restore.run?.signal.aborted).to.equal(false)
    restore.end(ok(undefined))
    await eventually(() => states().includes('restore done'), 'the restore did what it began')
  })

  it('keeps on disk who asked, and asks again for a job that is begun again', async () => {
    const manager: Judging = {}
    const working = managed(4, manager)
    manager.judge = () => undefined
    const first = await open(`${working}/shop`)
    const one = held('db1', 'checksum', { asker, order: {} })
    await unwrap(first.queue.begin(one.request)).written
    await eventually(() => one.run !== undefined, 'it runs')
    await first.book.close()
    first.end()
    const second = await open(`${working}/shop`)
    expect(second.book.left()[0]?.asker).to.deep.equal(asker)
    manager.judge = () => 'ann is gone'
    const again = held('db1', 'checksum')
    second.queue.redo('checksum', async (job) => second.queue.begin({ ...again.request, asker: job.asker }))
    second.queue.resume()
    await eventually(() => second.states().includes('checksum cancelled'), 'it is not begun again')
    expect(again.run).to.equal(undefined)
  })

  it('lets those go first that restore something', async () => {
    const { queue } = await open(`${managed()}/shop`)
    const [first, backup, reseed] = [held('db1', 'proof'), held('db2', 'backup-logical'), held('db3', 'reseed')]
    for (const one of [first, backup, reseed]) unwrap(queue.begin(one.request))
    await eventually(() => first.run !== undefined, 'it runs')
    first.end(ok(undefined))
    await eventually(() => reseed.run !== undefined, 'the urgent one runs')
    expect(backup.run).to.equal(undefined)
  })

  it('shares the limit of the manager among clusters, in the order in which they asked', async () => {
    const working = managed(1)
    const [a, b] = [await open(`${working}/a`, { name: 'a' }), await open(`${working}/b`, { name: 'b' })]
    const [one, two] = [held('db1', 'backup-logical'), held('db1', 'backup-logical')]
    unwrap(a.queue.begin(one.request))
    await eventually(() => one.run !== undefined, 'the first runs')
    unwrap(b.queue.begin(two.request))
    await eventually(() => b.book.list()[0]?.waits !== 'its turn', 'the second waits')
    expect(two.run).to.equal(undefined)
    one.end(ok(undefined))
    await eventually(() => two.run !== undefined, 'the second runs')
  })

  it('waits for an action of the orchestrator on the server', async () => {
    const { queue, acting, book } = await open(`${managed()}/shop`)
    acting.set('db1', 8)
    const one = held('db1', 'analyze')
    unwrap(queue.begin(one.request))
    expect(book.list()[0]?.waits).to.equal('job 8 of the same server')
    acting.delete('db1')
    queue.poke()
    await eventually(() => one.run !== undefined, 'it runs')
  })

  it('refuses the same twice', async () => {
    const { queue } = await open(`${managed()}/shop`)
    unwrap(queue.begin(held('db1', 'analyze').request))
    const twice = queue.begin(held('db1', 'analyze').request)
    expect(twice.ok ? '' : twice.failure.code).to.equal('operation-running')
  })

  it('cancels one that waits at once, and one that runs when its work has ended', async () => {
    const { queue, book } = await open(`${managed()}/shop`)
    const [runs, waits] = [held('db1', 'backup-logical'), held('db2', 'backup-logical')]
    const begun = [runs, waits].map((one) => unwrap(queue.begin(one.request)))
    await eventually(() => runs.run !== undefined, 'it runs')
    unwrap(queue.cancel({ job: 2 }, 'bob'))
    expect((await begun[1]?.ended)?.job).to.include({ state: 'cancelled', result: 'cancelled by bob' })
    unwrap(queue.cancel({ task: 'backup-logical' }, 'bob'))
    expect(runs.run?.signal.aborted).to.equal(true)
    expect(book.find(1)?.state).to.equal('running')
    runs.end(fail('script-failed', 'killed'))
    expect((await begun[0]?.ended)?.job).to.include({ state: 'cancelled', result: 'cancelled by bob' })
    const nothing = queue.cancel({ job: 2 }, 'bob')
    expect(nothing.ok ? '' : nothing.failure.code).to.equal('unknown-job')
  })

  it('ends what runs past its deadline, and what throws', async () => {
    const { queue } = await open(`${managed()}/shop`)
    const work = ({ signal }: JobRun) =>
      new Promise<typeof done>((resolve) => signal.addEventListener('abort', () => resolve(done)))
    const late = unwrap(queue.begin({ ...held('db1', 'analyze').request, deadlineMs: 10, work }))
    const { job, result } = await late.ended
    expect(result.ok ? '' : result.failure.code).to.equal('deadline-passed')
    expect(job.state).to.equal('failed')
    const thrown = unwrap(
      queue.begin({ ...held('db1', 'analyze').request, work: () => Promise.reject(new Error('broken')) }),
    )
    expect((await thrown.ended).job).to.include({ state: 'failed', result: 'broken' })
  })

  it('shows bytes, rate and time left', async () => {
    const { queue, book, heard } = await open(`${managed()}/shop`)
    const one = held('db1', 'analyze')
    unwrap(queue.begin(one.request))
    await eventually(() => one.run !== undefined, 'it runs')
    one.run?.progress({ bytes: 1_024, totalBytes: 4_096 })
    expect(book.find(1)?.progress).to.deep.include({ bytes: 1_024, totalBytes: 4_096, rate: 0 })
    expect(heard.filter(([type]) => type === 'job-progress')).to.have.length(1)
  })

  it('begins an interrupted one again where its task says how, so often as the setting allows', async () => {
    const { queue, book, heard } = await open(`${managed()}/shop`)
    const again: Job[] = []
    queue.redo('backup-logical', async (job) => {
      again.push(job)
      const { order = {}, attempt = 0 } = job
      const work = ({ signal }: JobRun) =>
        new Promise<typeof done>((resolve) => signal.addEventListener('abort', () => resolve(done)))
      return queue.begin(held('db2', 'backup-logical', { order, attempt, work }).request)
    })
    const one = held('db1', 'backup-logical', { order: { by: 'schedule' } })
    const begun = unwrap(queue.begin(one.request))
    await eventually(() => one.run !== undefined, 'it runs')
    queue.interrupt(1, 'db1 has died')
    one.end(fail('script-failed', 'lost connection'))
    expect((await begun.ended).job).to.include({ state: 'failed', result: 'db1 has died' })
    await eventually(() => book.find(2)?.state === 'running', 'the second runs')
    expect(again).to.have.length(1)
    expect(book.find(2)).to.deep.include({ attempt: 1, order: { by: 'schedule' }, name: 'db2' })
    queue.interrupt(2, 'db2 has died, too')
    await eventually(
      () => heard.some(([, payload]) => JSON.stringify(payload).includes('not begun again')),
      'it is given up',
    )
  })

  it('begins again after a restart of the manager what waited or ran, and says of the rest that it has failed', async () => {
    const directory = `${managed()}/shop`
    const before = await open(directory)
    const [runs, waits] = [held('db1', 'backup-logical', { order: { a: 1 } }), held('db2', 'proof', { order: {} })]
    for (const one of [runs, waits]) unwrap(before.queue.begin(one.request))
    await eventually(() => runs.run !== undefined, 'it runs')
    before.end()
    await before.book.close()
    const after = await open(directory)
    expect(after.book.list().map(({ state, result }) => [state, result])).to.deep.equal([
      ['failed', 'the manager ended while it ran; it can be asked for again'],
      ['failed', 'the manager ended before it began; it can be asked for again'],
    ])
    after.queue.redo('backup-logical', async ({ order = {}, attempt = 0 }) =>
      after.queue.begin(held('db1', 'backup-logical', { order, attempt }).request),
    )
    after.queue.resume()
    await eventually(() => after.book.find(3) !== undefined, 'it is begun again')
    expect(after.book.find(3)).to.deep.include({ task: 'backup-logical', attempt: 1, order: { a: 1 } })
  })
})
