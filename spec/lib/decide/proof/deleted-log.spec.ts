// A binary log that is deleted, on request or by a person, and every order in which probes see it: nothing is said of servers whose
// numbers went on, and a replica that passed over transactions is always found.
import { expect } from 'chai'
import {
  beginDeletion,
  endDeletion,
  judgeLogHead,
  leaveDeletions,
} from '../../../../lib/decide/situation/history/deleted-log.js'
import { lostByPrimary } from '../../../../lib/decide/situation/history/history.js'
import { buildSnapshot } from '../../../../lib/decide/situation/snapshot/build-snapshot.js'
import { freshMemory, type LogOutcome, type Memory } from '../../../../lib/model/memory.js'
import { formatSet, isEmpty, noTransactions } from '../../../../lib/model/server/gtid.js'
import type { SlowReading } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { sample } from '../../../support/run/soak.js'
import { primary, type ReplicaDraft, replica, settings } from '../../../support/simulator/situation.js'

interface View {
  /** Last transaction of the primary; 0 for none. */
  readonly last: number
  readonly file: string
  readonly position: number
  readonly replica: number
  readonly link: ReplicaDraft
}

const stopped: ReplicaDraft = { io: 'stopped' }
const refused: ReplicaDraft = {
  io: 'stopped',
  ioError: { code: 1236, message: 'Error: connecting slave requested to start from GTID 0-1-17, which is not in it' },
}

const view = (last: number, at: number, link: ReplicaDraft = {}): View => ({
  ...{ last, replica: at, link },
  ...{ file: 'bin.000001', position: 300 + 10 * last },
})

const old: View = { last: 17, file: 'bin.000002', position: 500, replica: 17, link: {} }

/** What is there after each step; the first is before all of them. The replica is started at the end, twice. */
const continued: readonly View[] = [
  ...[old, { ...old, link: stopped }, view(0, 17, stopped), view(17, 17, stopped), view(17, 17, stopped)],
  ...[view(20, 17, stopped), view(20, 20), view(50, 50), view(50, 50)],
]
const begunAgain: readonly View[] = [
  ...[old, { ...old, link: stopped }, view(0, 17, stopped), view(0, 17, stopped), view(0, 17, stopped)],
  ...[view(3, 17, stopped), view(3, 17, refused), view(33, 17, refused), view(33, 33)],
]

/** The steps at which the manager hears of it: before it sends the statements, and after them. */
const [INTENT, OUTCOME] = [1, 4]
const LAST = continued.length - 1

/** A reading that was sent after one step, shows what was there after another, and arrives after a third. */
interface Odd {
  readonly sent: number
  readonly shows: number
  readonly arrives: number
}

function* odds(): Generator<Odd | undefined> {
  yield undefined
  for (let sent = 0; sent <= LAST; sent += 1)
    for (let arrives = sent; arrives <= LAST; arrives += 1)
      for (let shows = sent; shows <= arrives; shows += 1) yield { sent, shows, arrives }
}

interface Story {
  readonly views: readonly View[]
  /** Absent: a person deletes it. */
  readonly outcome?: LogOutcome
  /** The manager is killed before it hears the outcome. */
  readonly killed?: true
  /** The server refuses to say it. */
  readonly refused?: true
  /** After which step the server is asked what became of its log, where its outcome is not known. */
  readonly asked?: number
  readonly fast: Odd | undefined
  readonly slow: Odd | undefined
}

interface Seen {
  /** Whatever the primary was ever said to have lost. */
  readonly lost: readonly string[]
  readonly marked: boolean
  readonly noted: boolean
}

const gtidOf = (last: number): string => (last === 0 ? '' : `0-1-${last}`)

const timeOf = (step: number): number => (step + 10) * 1_000

function play({ views, outcome, killed, asked, refused: isRefused, fast, slow }: Story): Seen {
  let memory: Memory = { ...freshMemory, primary: 'db1' }
  let source: ServerSnapshot = primary(1, { executed: '0-1-17' })
  let other: ServerSnapshot = replica(2, { received: '0-1-17' })
  const lost = new Set<string>()
  const judge = (now: number) => {
    const built = buildSnapshot({ cluster: 'c1', settings, servers: [source, other], memory, now })
    memory = built.memory
    const missing = lostByPrimary({ memory }, built.snapshot.servers[0] ?? source)
    if (!isEmpty(missing)) lost.add(formatSet(missing))
  }
  const readFast = ({ last }: View, { sent, at }: { readonly sent: number; readonly at: number }) => {
    const { state } = primary(1, { executed: gtidOf(last) })
    source = { ...source, ...(state ? { state } : {}), stateAt: at, probeMs: at - sent }
    judge(at)
  }
  const readSlow = ({ file, position }: View, { sent, at }: { readonly sent: number; readonly at: number }) => {
    const reading = { server: 'db1', at, tookMs: at - sent, binlogFile: file, binlogPosition: position }
    source = { ...source, slow: reading as SlowReading }
    judge(at)
  }
  const readReplica = ({ replica: last, link }: View, at: number) => {
    other = { ...replica(2, { received: `0-1-${last}`, ...link }), stateAt: at, probeMs: 0 }
    judge(at)
  }
  const readAll = (seen: View, at: number) => {
    readFast(seen, { sent: at, at })
    readSlow(seen, { sent: at, at })
    readReplica(seen, at)
  }
  readAll(old, 1_000)
  readAll(old, 2_000)
  for (const [step, seen] of views.entries()) {
    const now = timeOf(step)
    if (outcome && step === INTENT) memory = beginDeletion(memory, 'db1', { since: now, history: gtidOf(old.last) })
    if (isRefused && step === OUTCOME + 1)
      memory = endDeletion(memory, { server: 'db1', outcome: 'unknown', servers: [source, other], settings, now })
    if (step === asked && memory.deleting?.db1?.unread) {
      const head = { history: gtidOf(seen.last), oldest: views === continued ? gtidOf(old.last) : '' }
      const found = judgeLogHead(gtidOf(old.last), head, 'mariadb')
      memory = endDeletion(memory, { server: 'db1', outcome: found, servers: [source, other], settings, now })
    }
    if (killed && step === OUTCOME) memory = leaveDeletions(memory)
    if (outcome && !killed && step === OUTCOME)
      memory = endDeletion(memory, { server: 'db1', outcome, servers: [source, other], settings, now })
    for (const [odd, read] of [
      [fast, readFast],
      [slow, readSlow],
    ] as const)
      if (odd?.arrives === step) read(views[odd.shows] ?? seen, { sent: timeOf(odd.sent) + 100, at: now + 200 })
    readReplica(seen, now + 300)
  }
  const end = views.at(-1) ?? old
  for (const round of [1, 2]) readAll(end, timeOf(LAST + round))
  const record = memory.ambiguous?.db2
  return { lost: [...lost], marked: record?.passed === true, noted: record !== undefined }
}

/** Every order of one odd reading of either kind; with a commit a part of them. */
function* stories(given: Omit<Story, 'fast' | 'slow'>): Generator<Story> {
  for (const odd of sample([...odds()], 60)) {
    yield { ...given, fast: odd, slow: undefined }
    yield { ...given, fast: undefined, slow: odd }
  }
}

/** Both together, where they arrive when the outcome does, or next; with a commit a part of them. */
function* overlapping(given: Omit<Story, 'fast' | 'slow'>): Generator<Story> {
  const late = sample([...odds()].filter(isLate), 14)
  for (const fast of late) for (const slow of late) yield { ...given, fast, slow }
}

const isLate = (odd: Odd | undefined): boolean =>
  odd !== undefined &&
  odd.sent < OUTCOME &&
  odd.shows <= OUTCOME &&
  (odd.arrives === OUTCOME || odd.arrives === OUTCOME + 1)

const titleOf = ({ fast, slow }: Story): string => JSON.stringify({ fast, slow })

describe('a binary log that the manager deletes', () => {
  it('is no loss and marks nobody where its numbers went on, whatever a probe sees meanwhile', () => {
    const given = { views: continued, outcome: 'continued' } as const
    for (const story of [...stories(given), ...overlapping(given)])
      expect(play(story), titleOf(story)).to.deep.equal({ lost: [], marked: false, noted: false })
  })

  it('is no loss where its numbers begin again, and marks the replica that is let go on', () => {
    for (const story of stories({ views: begunAgain, outcome: 'begun-again' }))
      expect(play(story), titleOf(story)).to.deep.equal({ lost: [], marked: true, noted: true })
  })

  /** The server is asked next, or, by a manager that was killed and starts late, when the replica has gone on. */
  function* unheard(views: readonly View[]): Generator<Story> {
    for (const rest of [{ asked: OUTCOME + 1 }, { killed: true, asked: LAST }] as const)
      yield* stories({ views, outcome: 'unknown', ...rest })
  }

  it('marks the replica when the manager was killed, or did not hear what became of it, and the numbers begin again', () => {
    for (const story of unheard(begunAgain)) expect(play(story), titleOf(story)).to.include({ marked: true })
  })

  it('is no loss and marks nobody when it was not heard that the numbers went on', () => {
    for (const story of unheard(continued))
      expect(play(story), titleOf(story)).to.deep.equal({ lost: [], marked: false, noted: false })
  })

  it('marks the replica where the server did not say what became of it', () => {
    for (const story of stories({ views: begunAgain, outcome: 'unknown' })) {
      const { marked } = play({ ...story, refused: true })
      expect(marked, titleOf(story)).to.equal(true)
    }
  })
})

describe('a binary log that a person deletes', () => {
  it('marks the replica that is let go on, whatever a probe saw meanwhile', () => {
    for (const story of stories({ views: begunAgain })) {
      const { marked, lost } = play(story)
      expect(marked, titleOf(story)).to.equal(true)
      expect(lost, titleOf(story)).to.not.deep.equal([formatSet(noTransactions)])
    }
  })
})
