// What events mean for the timelines of clusters and of the manager, over a restart, and several as one.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { mergePages } from '../../../../actors/manager/timeline/merge-pages.js'
import { securityNote } from '../../../../actors/manager/timeline/note-event.js'
import { Timelines } from '../../../../actors/manager/timeline/timelines.js'
import { unwrap } from '../../../../lib/base/result.js'
import { MINUTE } from '../../../../lib/base/time.js'
import type { ClusterEvent, EventKind } from '../../../../lib/model/event.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const START = 1_795_246_812_000

const world = (names: readonly string[] = ['shop']) => {
  const directory = newDirectory('timelines')
  for (const name of names) mkdirSync(path.join(directory, name))
  const clock = { now: START }
  const open = (confirmMs = 5 * MINUTE) =>
    new Timelines({
      ...{ directory, confirmMs, version: '1.2.3' },
      clusters: () => names,
      settings: (name) =>
        name === '' || names.includes(name) ? { 'timeline-keep': 30, 'timeline-size': 4 } : undefined,
      log: (_, code, fields) => expect.fail(`${code} ${JSON.stringify(fields)}`),
      clock: () => clock.now,
    })
  const event = (kind: EventKind, text: string, more: Partial<ClusterEvent> = {}): ClusterEvent => ({
    ...{ id: 1, at: clock.now, cluster: 'shop', kind, level: 'INFO', text },
    ...more,
  })
  return { clock, open, event }
}

const page = async (timelines: Timelines) => unwrap(await timelines.page('shop', { limit: 100 })).entries

const opened = { code: 'ERR00016', severity: 'error', detail: '' }
const servers = (state: string) => [{ id: 'db1', name: 'db1', role: 'primary', state, sources: [], lag: null }]

describe('Timelines', () => {
  it('show a failover as one span with its steps, and its finding with its end', async () => {
    const { clock, open, event } = world()
    const timelines = open()
    await timelines.start()
    const operation = { id: 'failover-1', kind: 'failover', owner: 'manager' }
    timelines.note(event('finding-opened', 'OPENED ERR00016 : [db1] Dead.', { server: 'db1', data: opened }))
    timelines.note(event('operation', 'Failover begins', { level: 'ALERT', data: { ...operation, phase: 'running' } }))
    clock.now += 10
    const step = { operation: 'failover-1', command: 'make-writable', state: 'done', tookMs: 2 }
    timelines.note(event('step', 'failover make-writable db2', { data: step }))
    clock.now += 10
    const end = { data: { ...operation, phase: 'succeeded' }, level: 'ALERTOK' } as const
    timelines.note(event('operation', 'Failover succeeded after 20 ms', end))
    timelines.note(event('finding-closed', 'RESOLV ERR00016 : [db1] Dead.', { server: 'db1', data: opened }))
    const [failover, finding, ...others] = await page(timelines)
    expect(others).to.deep.equal([])
    expect(failover).to.deep.include({
      kind: 'operation',
      code: 'failover',
      at: START,
      until: START + 20,
      user: 'manager',
    })
    expect(failover?.text).to.equal('Failover succeeded after 20 ms')
    expect(failover?.data.steps).to.deep.equal(
      [{ ...step, operation: undefined, at: START + 10, level: 'INFO', text: 'failover make-writable db2' }].map(
        ({ operation: _, ...rest }) => rest,
      ),
    )
    expect(finding).to.deep.include({ kind: 'finding', code: 'ERR00016', text: '[db1] Dead.', until: START + 20 })
    await timelines.close()
  })

  it('go on after a restart: the gap is named, nothing is there twice, what was under way is interrupted', async () => {
    const { clock, open, event } = world()
    const first = open()
    await first.start()
    first.note(
      event('topology', '', { level: 'DEBUG', data: { topology: 'x', primary: 'db1', servers: servers('Master') } }),
    )
    first.note(event('finding-opened', 'OPENED WARN1 : Late.', { data: { code: 'WARN1', severity: 'warning' } }))
    first.note(event('finding-opened', 'OPENED WARN2 : Gone.', { data: { code: 'WARN2', severity: 'warning' } }))
    first.note(event('operation', 'Rejoin begins', { data: { id: 'r', kind: 'rejoin', phase: 'running' } }))
    await first.close()
    const stopped = clock.now
    clock.now += MINUTE
    const second = open(0)
    await second.start()
    second.note(event('state', 'db1 is Master', { server: 'db1', data: { from: 'Suspect', to: 'Master' } }))
    second.note(event('primary', 'The primary is db1', { server: 'db1', data: { primary: 'db1' } }))
    second.note(event('finding-opened', 'OPENED WARN1 : Late.', { data: { code: 'WARN1', severity: 'warning' } }))
    await eventually(
      async () => (await page(second)).some(({ code, until }) => code === 'WARN2' && until !== null),
      'what nobody confirmed has ended',
    )
    const entries = await page(second)
    expect(entries.map(({ kind, code, until }) => [kind, code, until])).to.deep.equal([
      ['manager', 'manager-started', null],
      ['operation', 'rejoin', clock.now],
      ['finding', 'WARN2', clock.now],
      ['finding', 'WARN1', null],
    ])
    expect(entries[0]?.data).to.deep.equal({ version: '1.2.3', downSince: stopped })
    expect(unwrap(await second.at('shop', stopped + 1)).down).to.deep.equal({ from: stopped, until: clock.now })
    await second.close()
  })

  it('have jobs as spans, backups apart, and settings with both values', async () => {
    const { open, event } = world()
    const timelines = open()
    await timelines.start()
    const job = { job: 7, task: 'backup-logical', user: 'ann' }
    timelines.note(event('job', 'Job 7: queued', { level: 'DEBUG', data: { ...job, phase: 'queued' } }))
    timelines.note(event('job', 'a line of its program', { data: { job: 7 } }))
    timelines.note(event('job', 'Job 7: done', { level: 'DEBUG', data: { ...job, phase: 'done' } }))
    timelines.noteSetting({
      ...{ id: 1, at: START, user: 'ann', cluster: 'shop', name: 'failover-limit', action: 'set' },
      ...{ before: { value: 5, origin: 'default' }, after: { value: 3, origin: 'saved' } },
    })
    const [setting, backup, ...others] = await page(timelines)
    expect(others).to.deep.equal([])
    expect(setting).to.deep.include({ kind: 'setting', text: 'ann changed failover-limit from 5 to 3', user: 'ann' })
    expect(backup).to.deep.include({ kind: 'backup', code: 'backup-logical', user: 'ann', text: 'Job 7: done' })
    expect(backup?.until).to.equal(START)
    await timelines.close()
  })

  it('give what lasts in all of them: what runs and waits, until it has ended', async () => {
    const { clock, open, event } = world(['bank', 'shop'])
    const timelines = open()
    await timelines.start()
    const roll = { id: 'rolling-restart-1', kind: 'restart', owner: 'ann', phase: 'running', done: 1, total: 3 }
    const job = { job: 7, task: 'backup-logical', user: 'ann', phase: 'queued' }
    timelines.note(event('rolling', 'Rolling restart started', { cluster: 'bank', data: roll }))
    clock.now += 1
    timelines.note(event('job', 'Job 7: queued', { data: job }))
    timelines.note(event('finding-opened', 'OPENED ERR00016 : [db1] Dead.', { server: 'db1', data: opened }))
    const kinds = ['operation', 'job', 'backup']
    const ask = async () =>
      unwrap(await timelines.merged(['bank', 'shop'], { limit: 10, kinds, open: true })).entries.map(
        ({ cluster, code, data }) => [cluster, code, data.phase],
      )
    expect(await ask()).to.deep.equal([
      ['shop', 'backup-logical', 'queued'],
      ['bank', 'rolling-restart', 'running'],
    ])
    timelines.note(
      event('rolling', 'Rolling restart succeeded', { cluster: 'bank', data: { ...roll, phase: 'succeeded' } }),
    )
    timelines.note(event('job', 'Job 7: running', { data: { ...job, phase: 'running' } }))
    expect(await ask()).to.deep.equal([['shop', 'backup-logical', 'running']])
    await timelines.close()
  })

  it('are one in the order of time, page by page', async () => {
    const { clock, open, event } = world(['bank', 'shop'])
    const timelines = open()
    await timelines.start()
    for (let index = 0; index < 12; index += 1) {
      clock.now = START + 1 + index
      const cluster = ['bank', 'shop'][index % 2] ?? ''
      timelines.note(event('state', `note ${index}`, { cluster }))
    }
    clock.now += 1
    timelines.noteSecurity('login', { user: 'ann', address: '10.0.0.9' })
    await Promise.all([page(timelines), timelines.page('bank', { limit: 1 })])
    const texts: string[] = []
    let before: string | null = null
    do {
      const merged: Awaited<ReturnType<Timelines['merged']>> = await timelines.merged(['', 'bank', 'shop'], {
        limit: 5,
        ...(before === null ? {} : { before }),
      })
      const { entries, next } = unwrap(merged)
      texts.push(...entries.map(({ text, cluster }) => `${cluster} ${text}`))
      before = next
    } while (before !== null)
    const notes = Array.from({ length: 12 }, (_, index) => `${['bank', 'shop'][index % 2]} note ${index}`).reverse()
    expect(texts).to.deep.equal([...['null ann logged in from 10.0.0.9', ...notes], 'null The manager was started'])
    await timelines.close()
  })
})

describe('a search', () => {
  it('finds what one user did, by a part of the action', async () => {
    const { clock, open } = world(['bank', 'shop'])
    const timelines = open()
    await timelines.start()
    for (const [user, action, cluster] of [
      ['ann', 'cluster.switchover', 'shop'],
      ['bob', 'cluster.switchover', 'bank'],
      ['ann', 'server.restart', 'bank'],
    ] as const) {
      clock.now += 1
      timelines.noteSecurity('action', { user, action, cluster, status: 200 })
    }
    clock.now += 1
    timelines.noteSecurity('user-added', { user: 'ann', username: 'eve', cluster: 'shop' })
    const find = async (query: object) =>
      unwrap(await timelines.merged(['', 'bank', 'shop'], { limit: 10, ...query })).entries.map(({ text }) => text)
    expect(await find({ user: 'ann' })).to.deep.equal([
      'ann added the user eve',
      'ann: server.restart',
      'ann: cluster.switchover',
    ])
    expect(await find({ code: 'SWITCH' })).to.deep.equal(['bob: cluster.switchover', 'ann: cluster.switchover'])
    expect(await find({ user: 'ann', code: 'switch' })).to.deep.equal(['ann: cluster.switchover'])
    await timelines.close()
  })

  it('lists nothing from before the moment down to which every timeline was read', async () => {
    const entry = (at: number, id: string) => ({ ...blank, at, id, text: id })
    const short = { lastAt: 90, page: async () => ({ entries: [entry(90, 'e9')], next: null, reach: 50 }) }
    const whole = { lastAt: 80, page: async () => ({ entries: [entry(80, 'e8'), entry(20, 'e2')], next: null }) }
    const sources = [
      { cluster: 'bank', timeline: short },
      { cluster: 'shop', timeline: whole },
    ]
    const found = await mergePages(sources, { limit: 10, user: 'ann' })
    expect(found.entries.map(({ id }) => id)).to.deep.equal(['e9', 'e8'])
    expect(found).to.deep.include({ next: null, reach: 50 })
    expect((await mergePages(sources, { limit: 1, user: 'ann' })).next).to.equal('90~bank~e9')
  })
})

const blank = { until: null, kind: 'note', server: null, level: 'INFO', code: null, user: 'ann', data: {} } as const

describe('securityNote', () => {
  const at = START
  it('names what a user did, and that it was refused', () => {
    const fields = { action: 'cluster.switchover', user: 'ann', cluster: 'shop', status: 409 }
    const note = securityNote('action', fields, at)
    expect(note).to.deep.include({ cluster: 'shop' })
    expect(note?.draft).to.deep.include({ level: 'WARN', user: 'ann', code: 'cluster.switchover' })
  })

  for (const [title, fields] of [
    ['a plan', { action: 'cluster.switchover', user: 'ann', status: 200, plan: true }],
    ['a request without a login', { action: 'cluster.switchover', status: 401 }],
    ['a changed setting, which is an entry with both values', { action: 'settings.set', user: 'ann', status: 200 }],
    ['the protocol of hosts', { action: 'server.job-state', user: 'ann', status: 200 }],
  ] as const)
    it(`has nothing of ${title}`, () => {
      expect(securityNote('action', fields, at)).to.equal(undefined)
    })
})
