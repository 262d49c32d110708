// Binary logs go only as far as the size demands, and never one that anybody needs: every combination of a small cluster.
import { expect } from 'chai'
import { decideLogPurges, type LogPurge, type PurgeSituation } from '../../../../lib/decide/upkeep/log-purge.js'
import type { Channel } from '../../../../lib/model/server/reading.js'
import type { ServerSnapshot, Snapshot } from '../../../../lib/model/snapshot.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { viewInput } from '../../../support/http/view-input.js'

const GB = 1024 ** 3
const healthy = viewInput().snapshot
const settings = defaultSettings()
const primary = healthy.primary ?? ''
const [first, second] = healthy.servers.filter(({ id }) => id !== primary).map(({ id }) => id)
const file = (number: number): string => `bin.${String(number).padStart(6, '0')}`
/** Five files of 1 GB each. */
const files = [1, 2, 3, 4, 5].map((number) => [file(number), GB] as const)

interface Case {
  /** Files that the replicas have applied up to: a number, or a name that the primary does not list. */
  readonly applied?: readonly [number | string, number | string]
  readonly threads?: readonly [Pick<Channel, 'io' | 'sql'>, Pick<Channel, 'io' | 'sql'>]
  readonly settings?: Partial<PurgeSituation['settings']>
  readonly snapshot?: Partial<Snapshot>
  /** Another state of one server. */
  readonly change?: readonly [id: string, change: Partial<ServerSnapshot>]
  readonly readers?: number
  readonly storage?: PurgeSituation['storage']
  /** The first replica is being filled, and needs the files from this one on. */
  readonly restoring?: { readonly from: string | undefined }
}

const running = { io: 'running', sql: 'running' } as const
const stopped = { io: 'stopped', sql: 'stopped' } as const

function situation(given: Case = {}): PurgeSituation {
  const { applied = [5, 5], threads = [running, running], readers = 2 } = given
  const servers = healthy.servers.map((server): ServerSnapshot => {
    const at = [first, second].indexOf(server.id)
    const { state, slow } = server
    if (!state || !slow) throw new Error('the servers of the fixture were probed')
    const name = applied[at] ?? 5
    const where = typeof name === 'number' ? file(name) : name
    const channels = state.channels.map((channel) => ({
      ...{ ...channel, executedFile: where, readFile: where },
      ...threads[at],
    }))
    const isPrimary = server.id === primary
    const dumpThreads = isPrimary ? readers : 0
    return {
      ...{ ...server, maintenance: false, observation: 'answered' },
      ...(isPrimary ? {} : { sourceId: primary }),
      state: { ...state, channels: isPrimary ? [] : channels, gtid: { ...state.gtid, enabled: true } },
      slow: { ...slow, dumpThreads, binlogs: { count: files.length, oldest: file(1), files } },
      ...(given.change?.[0] === server.id ? given.change[1] : {}),
    }
  })
  return {
    snapshot: { ...healthy, topology: 'primary-replica', servers, ...given.snapshot },
    settings: { ...settings, 'force-binlog-purge': true, 'force-binlog-purge-total-size': 2, ...given.settings },
    storage: given.storage,
    ...(given.restoring ? { restoring: new Map([[first ?? '', given.restoring.from]]) } : {}),
  }
}

const decide = (given?: Case): readonly LogPurge[] => decideLogPurges(situation(given))
const ofPrimary = (given?: Case): LogPurge | undefined => decide(given).find(({ server }) => server === primary)

describe('decideLogPurges', () => {
  it('is off by default, and does nothing where the cluster is only observed or paused', () => {
    expect(decide({ settings: { 'force-binlog-purge': false } })).to.deep.equal([])
    expect(decide({ settings: { 'monitoring-observe': true } })).to.deep.equal([])
    expect(decide({ settings: { 'monitoring-pause': true } })).to.deep.equal([])
  })

  it('keeps what fits, what every replica needs, what is not stored, and the file being written', () => {
    let cases = 0
    for (const size of [0, 1, 2, 3, 4, 5, 6])
      for (const one of [1, 2, 3, 4, 5])
        for (const other of [1, 2, 3, 4, 5])
          for (const stored of [undefined, 1, 2, 3, 4, 5]) {
            const purge = ofPrimary({
              applied: [one, other],
              threads: [running, other % 2 === 0 ? stopped : running],
              readers: stored === undefined ? 1 : 2,
              settings: { 'force-binlog-purge-total-size': size, 'backup-binlogs': stored !== undefined },
              ...(stored === undefined ? {} : { storage: { ...storage, server: primary, file: file(stored) } }),
            })
            const demanded = Math.min(5, Math.max(1, 6 - size))
            const expected = Math.min(demanded, one, other, stored ?? 5)
            expect(purge?.upTo, `${size} ${one} ${other} ${stored}`).to.equal(expected > 1 ? file(expected) : undefined)
            expect(purge?.heldBy !== undefined).to.equal(expected < demanded)
            cases += 1
          }
    expect(cases).to.equal(7 * 5 * 5 * 6)
  })

  const holds: readonly (readonly [string, Case, RegExp])[] = [
    ['a position is unknown', { applied: ['old.000007', 5] }, /not known which/],
    ['a position is empty', { applied: [5, ''] }, /not known which/],
    ['a replica does not answer', { change: [first ?? '', { observation: 'refused' }] }, /does not answer/],
    ['the primary does not answer', { change: [primary, { observation: 'silent' }] }, /does not answer/],
    ['a server is in maintenance', { change: [second ?? '', { maintenance: true }] }, /in maintenance/],
    ['a server follows another one', { change: [second ?? '', { sourceId: first ?? '' }] }, /does not follow/],
    ['the topology is another one', { snapshot: { topology: 'multi-primary' } }, /multi-primary/],
    [
      'too few replicate',
      { threads: [running, stopped], settings: { 'force-binlog-purge-min-replica': 2 } },
      /1 replicas/,
    ],
    ['a stranger reads', { readers: 3 }, /no server of the cluster/],
    ['nothing is stored', { settings: { 'backup-binlogs': true } }, /not stored/],
  ]
  for (const [title, given, reason] of holds)
    it(`deletes nothing when ${title}, and says so`, () => {
      const purge = ofPrimary(given)
      expect(purge?.upTo).to.equal(undefined)
      expect(purge?.heldBy).to.match(reason)
    })

  it('deletes nothing of what is stored of another server', () => {
    const given = { settings: { 'backup-binlogs': true }, storage: { ...storage, server: first ?? '', file: file(5) } }
    expect(ofPrimary(given))
      .to.include({ heldBy: 'the others are not stored yet (backup-binlogs)' })
      .and.not.have.property('upTo')
  })

  describe('while a server is being filled', () => {
    const aside: Case = {
      change: [first ?? '', { observation: 'refused', maintenance: true, sourceId: 'nobody' }],
      settings: { 'force-binlog-purge-on-restore': true },
    }
    const given = (from: string | undefined, more: Case = {}): Case => ({ ...aside, restoring: { from }, ...more })

    it('deletes nothing without force-binlog-purge-on-restore', () => {
      expect(ofPrimary(given(file(3), { settings: {} }))?.upTo).to.equal(undefined)
      expect(ofPrimary(aside)?.upTo, 'another reason why it does not answer').to.equal(undefined)
    })

    it('deletes with it what is older than its copy and what the others have', () => {
      expect(ofPrimary(given(file(3)))).to.include({ upTo: file(3) })
      expect(ofPrimary(given(file(5)))).to.include({ upTo: file(4) })
      expect(ofPrimary(given(file(5), { applied: [5, 2] }))).to.include({ upTo: file(2) })
    })

    it('deletes nothing where the position of its copy is not known, or no other one replicates', () => {
      expect(ofPrimary(given(undefined))?.heldBy).to.match(/is not known/)
      const least = { ...aside.settings, 'force-binlog-purge-min-replica': 1 }
      expect(ofPrimary(given(file(3), { threads: [running, stopped], settings: least }))?.heldBy).to.match(
        /0 replicas replicate/,
      )
    })
  })

  it('deletes those of replicas only when asked, and not where someone reads', () => {
    expect(decide().map(({ server }) => server)).to.deep.equal([primary])
    const all = decide({ settings: { 'force-binlog-purge-replicas': true } })
    expect(all.map(({ upTo }) => upTo)).to.deep.equal([file(4), file(4), file(4)])
    const slow = situation().snapshot.servers.find(({ id }) => id === first)?.slow
    if (!slow) throw new Error('no slow reading')
    const read = decide({
      settings: { 'force-binlog-purge-replicas': true },
      change: [first ?? '', { slow: { ...slow, dumpThreads: 1 } }],
    })
    expect(read.find(({ server }) => server === first))
      .to.have.property('heldBy')
      .that.matches(/no server of the cluster/)
  })

  it('says that files which are not listed cannot be counted', () => {
    const slow = situation().snapshot.servers.find(({ id }) => id === primary)?.slow
    if (!slow) throw new Error('no slow reading')
    const purge = ofPrimary({
      settings: { 'force-binlog-purge-total-size': 6 },
      change: [primary, { slow: { ...slow, binlogs: { ...slow.binlogs, count: 10 } } }],
    })
    expect(purge).to.include({ heldBy: 'only the newest 5 files are counted' })
  })
})

const storage = { connected: true, files: 5, storedBytes: 5 * GB }
