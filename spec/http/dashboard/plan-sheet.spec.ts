import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { comparePlans, type Plan, readPlan } from '../../../http/dashboard/src/model/plan.js'
import type { Action } from '../../../http/dashboard/src/plan/action.js'
import {
  type Progress,
  progressOfEntries,
  progressOfJob,
  progressOfRolling,
} from '../../../http/dashboard/src/plan/progress.js'
import { commandOf, requestOf } from '../../../http/dashboard/src/plan/requests.js'
import {
  firstState,
  isUnderWay,
  type SheetEvent,
  type SheetState,
  stepSheet,
} from '../../../http/dashboard/src/plan/sheet-state.js'
import { packageRoot } from '../../../lib/base/package-root.js'

const plan: Plan = {
  ...{ id: 'switchover/shop/1.2.3', kind: 'switchover', possible: true, pauseMs: null, risks: [], confirm: 'yes' },
  steps: [{ text: 'Freeze db1', blocksWrites: true }],
  ...{ changes: [], follows: [] },
}
const other: Plan = { ...plan, id: 'switchover/shop/1.9.3', steps: [{ text: 'Fence db1', blocksWrites: true }] }
const failure = (status: number, code: string) => ({ status, code, text: `${code} it is` })
const progress = (ending: Progress['ending']): Progress => ({
  ...{ id: 'switchover-1', title: 'Switchover', startedAt: 10, ending, losses: [], steps: [] },
  ...(ending === 'running' ? {} : { endedAt: 90 }),
})

const planned: SheetEvent = { type: 'planned', plan }
const confirmed: SheetEvent = { type: 'confirmed', at: 5 }
const stateAfter = (...events: readonly SheetEvent[]): SheetState => events.reduce(stepSheet, firstState)

/** Requests of pages that are sent without a sheet, and why. */
const unplanned: Readonly<Record<string, string>> = {
  'server/queries/plan-dialog.tsx': 'asks the server how it runs a statement that is proven to read',
  'findings/respond-form.tsx': 'on several clusters at once: a hundred plans would say what the form says',
  'operations/remedy-page.tsx': 'shows the plan of each cluster itself',
}

const pages = path.join(packageRoot, 'http/dashboard/src/pages')

describe('the pages', () => {
  it('act through the plan sheet, but for the named ones', () => {
    const files = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
    expect(files.length).to.be.above(100)
    const acting = files.filter((file) =>
      /\bcall\(\s*['`](POST|PUT|PATCH|DELETE) |\bcallAny\(|\brunAction\(|\brunLines\(|\banalyze: /.test(
        readFileSync(path.join(pages, file), 'utf8'),
      ),
    )
    expect(acting.toSorted()).to.deep.equal(Object.keys(unplanned).toSorted())
  })
})

describe('stepSheet', () => {
  it('confirms a plan that is not checked yet: the manager checks it as it begins', () => {
    const unchecked = { ...plan, possible: false, unchecked: 'no answer came' }
    expect(stateAfter({ type: 'planned', plan: unchecked }, confirmed).type).to.equal('sent')
  })

  it('confirms nothing before there is a plan, nor a plan that is refused', () => {
    expect(stateAfter(confirmed).type).to.equal('planning')
    expect(stateAfter({ type: 'planned', plan: { ...plan, possible: false } }, confirmed).type).to.equal('planned')
  })

  it('shows what has changed in place of running a stale plan', () => {
    const stale = stateAfter(planned, confirmed, { type: 'refused', failure: failure(409, 'plan-changed') })
    expect(stale).to.deep.include({ type: 'planning', before: plan })
    expect(stepSheet(stale, { type: 'planned', plan: other })).to.deep.equal({
      type: 'planned',
      plan: other,
      changed: { why: 'plan-changed it is', changes: ['New step: Fence db1', 'No longer a step: Freeze db1'] },
    })
  })

  it('needs a confirmation of the new plan', () => {
    const stale = stateAfter(planned, confirmed, { type: 'refused', failure: failure(409, 'plan-changed') })
    const again = [{ type: 'planned', plan: other } as const, { type: 'confirmed', at: 9 } as const].reduce(
      stepSheet,
      stale,
    )
    expect(again).to.deep.equal({ type: 'sent', plan: other, at: 9 })
  })

  for (const [status, code] of [
    [0, 'unreachable'],
    [502, 'http-502'],
    [504, 'deadline-passed'],
  ] as const)
    it(`calls the result unknown after ${status === 0 ? 'no answer' : status}, never failed`, () => {
      const state = stateAfter(planned, confirmed, { type: 'refused', failure: failure(status, code) })
      expect(state).to.deep.equal({ type: 'unknown', plan, at: 5 })
      expect(stepSheet(state, { type: 'progressed', progress: progress('running'), at: 20 })).to.deep.include({
        type: 'unknown',
        found: progress('running'),
      })
    })

  for (const [status, code] of [
    [409, 'vetoed'],
    [502, 'alert-refused'],
  ] as const)
    it(`is refused when the manager says so: ${status}`, () => {
      expect(stateAfter(planned, confirmed, { type: 'refused', failure: failure(status, code) }).type).to.equal(
        'refused',
      )
    })

  it('ends with the answer where nothing continues, and with the work where something does', () => {
    expect(stateAfter(planned, confirmed, { type: 'answered', at: 8 })).to.deep.equal({
      type: 'ended',
      plan,
      at: 5,
      endedAt: 8,
    })
    const running = stateAfter(planned, confirmed, { type: 'progressed', progress: progress('running'), at: 9 })
    expect(isUnderWay(running)).to.equal(true)
    expect(stepSheet(running, { type: 'progressed', progress: progress('succeeded'), at: 95 })).to.deep.include({
      type: 'ended',
      endedAt: 90,
    })
  })

  it('goes on from what was interrupted when the next manager finishes it, and from no other end', () => {
    const endedAs = (ending: Progress['ending']) =>
      stateAfter(planned, confirmed, { type: 'progressed', progress: progress(ending), at: 9 })
    const finished = { type: 'progressed', progress: progress('succeeded'), at: 20 } as const
    expect(stepSheet(endedAs('interrupted'), finished)).to.have.nested.property('progress.ending', 'succeeded')
    expect(stepSheet(endedAs('failed'), finished)).to.have.nested.property('progress.ending', 'failed')
  })

  it('keeps what runs when another plan is asked for', () => {
    const running = stateAfter(planned, confirmed, { type: 'progressed', progress: progress('running'), at: 9 })
    expect(stepSheet(running, { type: 'again' })).to.equal(running)
  })
})

describe('progressOfEntries', () => {
  it('shows how an operation ended that another one followed, and who asked for it', () => {
    const data = { id: 'switchover-1', kind: 'switchover', owner: 'boss', phase: 'rolled-back', result: 'undone' }
    const steps = [{ at: 4, text: 'fence', state: 'done', tookMs: 2 }]
    const [stopped, ended, lasting, ...rest] = progressOfEntries({
      entries: [
        { id: 'e3', kind: 'operation', at: 3, until: 4, data: { ...data, result: 'running', interrupted: true } },
        { id: 'e2', kind: 'operation', at: 3, until: 9, data: { ...data, message: 'the manager ended', steps } },
        { id: 'e1', kind: 'operation', at: 1, data: { ...data, id: 'repair-1', owner: 'manager', result: 'running' } },
        { id: 'e0', kind: 'operation', at: 0, data: {} },
      ],
    })
    expect(stopped).to.deep.include({ ending: 'interrupted', endedAt: 4 })
    expect(ended).to.deep.include({ id: 'switchover-1', owner: 'boss', startedAt: 3, endedAt: 9, ending: 'undone' })
    expect(ended?.steps).to.deep.equal([{ text: 'fence', state: 'done', tookMs: 2 }])
    expect(lasting).to.deep.include({ id: 'repair-1', owner: 'manager', ending: 'running' })
    expect(rest).to.deep.equal([])
  })

  it('shows what the next manager finished as it ended, and what it undid as undone', () => {
    const rest = { owner: 'manager', result: 'succeeded', continues: 'switchover-1' }
    const [finished, undone] = progressOfEntries({
      entries: [
        { kind: 'operation', at: 3, until: 4, data: { ...rest, id: 'switchover-2', kind: 'switchover' } },
        { kind: 'operation', at: 3, until: 4, data: { ...rest, id: 'repair-2', kind: 'repair' } },
      ],
    })
    expect(finished).to.deep.include({ id: 'switchover-2', continues: 'switchover-1', ending: 'succeeded' })
    expect(undone).to.deep.include({ id: 'repair-2', continues: 'switchover-1', ending: 'undone' })
  })
})

describe('readPlan', () => {
  it('takes absent fields as not known, and the careful confirmation', () => {
    expect(readPlan({ kind: 'stop', possible: true, steps: [], risks: [] })).to.deep.equal({
      ...{ kind: 'stop', possible: true, steps: [], changes: [], follows: [] },
      ...{ risks: [], pauseMs: null, confirm: 'yes' },
    })
  })

  it('is no plan when it is something else', () => {
    expect(readPlan({ operation: {} })).to.equal(undefined)
  })

  it('keeps apart: nothing takes it back, and the manager does not say', () => {
    expect(readPlan({ possible: true, undo: null })?.undo).to.equal(null)
    expect(readPlan({ possible: true })?.undo).to.equal(undefined)
  })
})

describe('comparePlans', () => {
  it('finds nothing new when what was not checked has been checked and accepted', () => {
    const unchecked = { ...plan, possible: false, unchecked: 'no answer came', refusal: 'no answer came' }
    expect(comparePlans(unchecked, plan)).to.deep.equal([])
    expect(comparePlans(unchecked, { ...plan, possible: false, refusal: 'denied' })).to.deep.equal([
      'It is refused by now: denied',
    ])
  })

  it('names the refusal, the loss and the risks that are new', () => {
    const changed: Plan = {
      ...{ ...plan, possible: false, refusal: 'db2 is down', risks: ['db3 does not answer.'] },
      loss: { kind: 'at-most', text: 'At most 3 transactions.' },
    }
    expect(comparePlans(plan, changed)).to.deep.equal([
      'It is refused by now: db2 is down',
      'Loss: At most 3 transactions.',
      'New risk: db3 does not answer.',
    ])
    expect(comparePlans(plan, plan)).to.deep.equal([])
  })
})

describe('requestOf', () => {
  const action: Action = {
    ...{
      title: 'Switch over to db 2',
      row: 'POST /api/clusters/:cluster/servers/:server/actions/switchover',
      grant: 'cluster-switchover',
      kind: 'interrupting',
    },
    ...{ params: { cluster: 'a/b', server: 'db 2' }, command: ['switchover', '--to', 'db 2'] },
  }

  it('names exactly the plan that was shown', () => {
    expect(requestOf(action, plan)).to.deep.equal({
      method: 'POST',
      path: '/api/clusters/a%2Fb/servers/db%202/actions/switchover?confirm=switchover%2Fshop%2F1.2.3',
    })
  })

  it('has no secret of the body', () => {
    const adding: Action = {
      ...{
        title: 'Add ann',
        row: 'POST /api/clusters/:cluster/users/add',
        params: { cluster: 'shop' },
        grant: 'grant-add',
        kind: 'harmless',
      },
      ...{ body: { username: 'ann', password: 'hunter2', grants: 'show' }, secrets: ['password'] },
    }
    expect(requestOf(adding, plan).body).to.deep.equal({ username: 'ann', password: '…', grants: 'show' })
    expect(adding.body).to.include({ password: 'hunter2' })
  })

  it('quotes for a shell', () => {
    expect(commandOf(action)).to.equal("manager-cli switchover --to 'db 2' --cluster a/b")
  })
})

describe('progressOfRolling', () => {
  it('has a step per server, and can be cancelled while it runs', () => {
    const servers = [
      { id: 'db2', name: 'db2', state: 'done', startedAt: 100, endedAt: 400 },
      { id: 'db1', name: 'db1', state: 'returning', startedAt: 400 },
    ]
    const roll = {
      id: 'r1',
      kind: 'restart',
      owner: 'ann',
      phase: 'running',
      startedAt: 90,
      doing: 'db1 starts',
      servers,
    }
    const read = progressOfRolling(roll, 'shop')
    expect(read?.steps.map(({ text, state, tookMs }) => [text, state, tookMs])).to.deep.equal([
      ['db2', 'done', 300],
      ['db1', 'running', undefined],
    ])
    expect(read?.cancel?.row).to.equal('POST /api/clusters/:cluster/actions/cancel-rolling-restart')
    expect(progressOfRolling({ ...roll, phase: 'stopped' }, 'shop')).to.deep.include({ ending: 'failed' })
    expect(progressOfRolling(null, 'shop')).to.equal(undefined)
  })
})

describe('progressOfJob', () => {
  it('ends as its phase says', () => {
    const job = {
      id: 7,
      task: 'provision',
      server: 'db1:3306',
      user: 'ann',
      phase: 'failed',
      result: 'no space',
      start: 1,
      end: 3,
    }
    expect(progressOfJob(job, 'shop')).to.deep.include({
      id: '7',
      ending: 'failed',
      message: 'no space',
      endedAt: 3_000,
    })
  })
})
