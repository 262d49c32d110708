// Whatever ends a named test, and at whatever moment: what it changed is taken back, the latest change first.
import { expect } from 'chai'
import fc from 'fast-check'
import type { TrialRun, TrialUndo } from '../../../lib/model/trial/trial.js'
import {
  beginTrial,
  broken,
  closeDeed,
  endTrial,
  interrupted,
  nextDeed,
  nextId,
  openDeed,
  type TrialDeed,
  withEnded,
} from '../../../lib/trial/run.js'
import { type TrialStep, undoOf } from '../../../lib/trial/step.js'
import { findTrial, trialNames } from '../../../lib/trial/table.js'

const before = { home: 'db1', replicas: ['db2', 'db3'] }

/** What a test can change; sessions and settings end with the manager. */
interface World {
  settings: boolean
  held: boolean
  schema: boolean
  stopped: readonly string[]
  maintenance: readonly string[]
  primary: string
}

const whole = (): World => ({
  ...{ settings: false, held: false, schema: false, stopped: [], maintenance: [], primary: before.home },
})

/** The worst case: a switchover that must be refused is not. */
const effects: { readonly [T in TrialStep['do']]: (world: World, step: Extract<TrialStep, { do: T }>) => void } = {
  set: (world) => Object.assign(world, { settings: true }),
  write: (world) => Object.assign(world, { schema: true }),
  hold: (world) => Object.assign(world, { held: true }),
  release: (world) => Object.assign(world, { held: false }),
  'stop-replicas': (world) => Object.assign(world, { stopped: before.replicas }),
  'start-replicas': (world) => Object.assign(world, { stopped: [] }),
  'maintain-replicas': (world) => Object.assign(world, { maintenance: before.replicas }),
  switchover: (world, { to }) => Object.assign(world, { primary: to === 'home' ? before.home : 'db2' }),
  expect: () => undefined,
  'expect-rows': () => undefined,
}

const undoing: { readonly [T in TrialUndo['type']]: (world: World) => void } = {
  settings: (world) => Object.assign(world, { settings: false }),
  sessions: (world) => Object.assign(world, { held: false }),
  schema: (world) => Object.assign(world, { schema: false }),
  replication: (world) => Object.assign(world, { stopped: [] }),
  maintenance: (world) => Object.assign(world, { maintenance: [] }),
  role: (world) => Object.assign(world, { primary: before.home }),
}

const act = (world: World, deed: TrialDeed): void => {
  if (deed.type === 'step') (effects[deed.step.do] as (world: World, step: TrialStep) => void)(world, deed.step)
  if (deed.type === 'undo') undoing[deed.undo.type](world)
}

/** The manager is killed: `done`: after the deed was done and before that was recorded, else before it was done. */
interface Kill {
  readonly deed: number
  readonly done: boolean
}

/** Runs it as the runner does; a killed manager is followed by one that reads what was on disk. */
function carryOut(steps: readonly TrialStep[], world: World, kills: readonly Kill[]): TrialRun {
  let disk = beginTrial({ ...before, name: 'test', user: 'admin', job: 1 }, 1, 0)
  for (let deeds = 0; ; deeds += 1) {
    const deed = nextDeed(disk, steps)
    if (deed.type === 'end') return endTrial(disk, deeds)
    disk = openDeed(disk, deed, deeds)
    const kill = kills.find((one) => one.deed === deeds)
    if (!kill || kill.done) act(world, deed)
    if (kill) {
      Object.assign(world, { settings: false, held: false })
      disk = interrupted(disk, deeds)
    } else disk = closeDeed(disk, deed, { now: deeds })
    if (deeds > 200) throw new Error('it does not end')
  }
}

const listed = trialNames.map((name) => [name, findTrial(name)?.steps ?? []] as const)

describe('the course of a named test', () => {
  for (const [name, steps] of listed) {
    it(`${name} passes where nothing fails, and leaves nothing`, () => {
      const world = whole()
      expect(carryOut(steps, world, []).result).to.equal('PASS')
      expect(world).to.deep.equal(whole())
    })

    it(`${name} leaves nothing where the manager is killed at any deed, once or twice`, () => {
      const most = 2 * steps.length + 10
      for (let first = 0; first < most; first += 1)
        for (const done of [true, false])
          for (let second = first; second < most; second += 1) {
            const world = whole()
            carryOut(steps, world, [{ deed: first, done }, ...(second > first ? [{ deed: second, done: !done }] : [])])
            expect(world, `killed at ${first} and ${second}`).to.deep.equal(whole())
          }
    })

    it(`${name} has failed where the manager is killed before its last step`, () => {
      for (let deed = 0; deed < steps.length; deed += 1)
        expect(carryOut(steps, whole(), [{ deed, done: true }]).result).to.equal('FAIL')
    })
  }

  it('takes back the latest change first, each once', () => {
    const steps = fc.array(fc.constantFrom(...listed.flatMap(([, own]) => own)), { maxLength: 12 })
    fc.assert(
      fc.property(steps, (own) => {
        let run = beginTrial({ ...before, name: 'test', user: 'admin', job: 1 }, 1, 0)
        const changes: TrialUndo[] = []
        for (const step of own) {
          const undo = undoOf(step, before)
          if (undo && !changes.some(({ type }) => type === undo.type)) changes.push(undo)
          run = closeDeed(openDeed(run, { type: 'step', step }, 0), { type: 'step', step }, { now: 0 })
        }
        const taken: TrialUndo[] = []
        for (let deed = nextDeed(run, []); deed.type === 'undo'; deed = nextDeed(run, [])) {
          taken.push(deed.undo)
          run = closeDeed(openDeed(run, deed, 0), deed, { now: 0 })
        }
        expect(taken).to.deep.equal(changes.toReversed())
      }),
    )
  })

  it('a step that failed ends the test, with its reason', () => {
    const [step] = listed[0]?.[1] ?? []
    if (!step) throw new Error('there is a step')
    const begun = beginTrial({ ...before, name: 'test', user: 'admin', job: 1 }, 1, 0)
    const opened = openDeed(begun, { type: 'step', step }, 0)
    const run = closeDeed(opened, { type: 'step', step }, { failure: 'the disk is full', now: 1 })
    expect(run).to.include({ phase: 'undoing', result: 'FAIL' })
    expect(run.message).to.match(/: the disk is full$/)
    expect(nextDeed(run, [step, step]).type).to.equal('undo')
  })

  it('what cannot be taken back is tried again when the rest is taken back', () => {
    const undo: readonly TrialUndo[] = [{ type: 'settings' }, { type: 'schema' }, { type: 'role', server: 'db1' }]
    const open = { ...broken(beginTrial({ ...before, name: 'test', user: 'admin', job: 1 }, 1, 0), 'cut'), undo }
    const deed = nextDeed(open, [])
    const next = closeDeed(openDeed(open, deed, 0), deed, { failure: 'db1 is away', now: 0 })
    expect(next.undo.map(({ type }) => type)).to.deep.equal(['role', 'settings', 'schema'])
  })

  it('a bounded number of ended runs is kept, and numbers go on', () => {
    let book = withEnded({ ended: [] }, beginTrial({ ...before, name: 'test', user: 'admin', job: 1 }, 1, 0))
    for (let round = 0; round < 80; round += 1)
      book = withEnded(book, beginTrial({ ...before, name: 'test', user: 'admin', job: 1 }, nextId(book), 0))
    expect(book.ended).to.have.length(50)
    expect(book.ended.at(-1)?.id).to.equal(81)
  })
})
