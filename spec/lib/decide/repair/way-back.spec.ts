// The choice of a way back: every combination of settings and states, and what must hold in each of them.
import { expect } from 'chai'
import {
  chooseWay,
  judgeWays,
  planReturn,
  type ReturnFacts,
  type ReturnSettings,
  restAfter,
} from '../../../../lib/decide/repair/way-back.js'
import { type ReturnCause, type ReturnMethod, returnMethods } from '../../../../lib/model/operation/way-back.js'
import { contains, isEmpty, parseGtidSet } from '../../../../lib/model/server/gtid.js'
import { cases, sample } from '../../../support/run/soak.js'

const off: ReturnSettings = {
  'autorejoin-flashback': false,
  'autorejoin-flashback-on-sync': true,
  'autorejoin-flashback-on-unsync': false,
  'autorejoin-mysqldump': false,
  'autorejoin-logical-backup': false,
  'autorejoin-physical-backup': false,
  'autorejoin-zfs-flashback': false,
  'autorejoin-force-restore': false,
  autoseed: false,
  'backup-load-script': '',
}

const extra = { '0-1': [[151, 157]] } as const

const tail = { directory: '/tail', gtids: extra, bytes: 4_000, tables: ['shop.orders'] }

const diverged: ReturnFacts = {
  ...{
    server: 'db1',
    name: 'db1',
    flavour: 'mariadb',
    cause: 'diverged',
    reason: 'it is ahead',
    extra,
    certain: extra,
    inSync: true,
  },
  forkKnown: true,
  tail,
  source: { server: 'db2', name: 'db2', isPrimary: true, bytes: 10_000_000_000 },
  renewal: true,
  backups: {
    logical: { text: 'a dump', bytes: 1_000, rawBytes: 2_000_000_000 },
    physical: { text: 'a copy', bytes: 1_000, rawBytes: 9_000_000_000 },
  },
  snapshots: true,
  tools: { flashback: true, dump: true },
}

const allowed = (facts: ReturnFacts, settings: ReturnSettings, method?: ReturnMethod): readonly ReturnMethod[] =>
  judgeWays(facts, settings, method ? { method } : {}).flatMap((way) => (way.allowed ? [way.method] : []))

/** Every subset of these settings, and both kinds of the script. */
function* everySetting(): Generator<ReturnSettings> {
  const names = Object.keys(off).filter((name) => name !== 'backup-load-script')
  for (let bits = 0; bits < 2 ** names.length; bits += 1) {
    const chosen = Object.fromEntries(names.map((name, index) => [name, (bits & (1 << index)) !== 0]))
    for (const script of ['', '/bin/fill']) yield { ...off, ...chosen, 'backup-load-script': script } as ReturnSettings
  }
}

const savings = ['complete', 'part', 'unfit', 'none', 'not wanted'] as const

const causes: readonly ReturnCause[] = ['diverged', 'empty', 'purged', 'incomplete', 'asked']

/** Every state of a server that matters for the choice. */
function* everyState(): Generator<ReturnFacts> {
  const { tail: _, source: __, ...bare } = diverged
  for (const cause of causes)
    for (const saved of cause === 'diverged' ? savings : (['none'] as const))
      for (const forkKnown of [true, false])
        for (const source of [diverged.source, undefined])
          for (const flavour of ['mariadb', 'mysql'] as const)
            for (const inSync of [true, false])
              yield {
                ...bare,
                ...{ cause, forkKnown, flavour, inSync },
                extra: cause === 'diverged' ? extra : {},
                ...(source ? { source } : {}),
                ...(saved === 'complete' ? { tail } : {}),
                ...(saved === 'part' ? { tail: { ...tail, gtids: { '0-1': [[151, 153]] as const } } } : {}),
                ...(saved === 'unfit' ? { tail: { ...tail, unfit: 'it changed a definition' } } : {}),
                ...(saved === 'not wanted' ? { unsaved: true } : {}),
              }
}

describe('judgeWays', () => {
  it('permits nothing without a setting', () => {
    for (const facts of everyState())
      expect(allowed(facts, off).filter((method) => method !== 'direct')).to.deep.equal([])
  })

  const alone: readonly [keyof ReturnSettings, readonly ReturnMethod[]][] = [
    ['autorejoin-flashback', ['flashback']],
    ['autorejoin-mysqldump', ['dump']],
    ['autorejoin-logical-backup', ['logical-backup']],
    ['autorejoin-physical-backup', ['rebuild', 'physical-backup']],
    ['autorejoin-zfs-flashback', ['zfs']],
    ['backup-load-script', ['script']],
  ]
  for (const [name, methods] of alone)
    it(`${name} alone permits ${methods.join(' and ')}`, () => {
      const settings = { ...off, [name]: name === 'backup-load-script' ? '/bin/fill' : true }
      expect(allowed(diverged, settings)).to.deep.equal(methods)
    })

  it('does not let a server go on from where it is, whose applier stopped at an error there', () => {
    const asked: ReturnFacts = { ...diverged, cause: 'asked', extra: {}, certain: {} }
    expect(allowed(asked, off)).to.deep.equal(['direct'])
    const halted = { ...asked, halt: 'error 1062: Duplicate entry' }
    expect(allowed(halted, off)).to.deep.equal([])
    expect(judgeWays(halted, off).find(({ method }) => method === 'direct')?.why).to.equal(
      'its applier stopped at error 1062: Duplicate entry',
    )
    expect(planReturn(halted, off, { method: 'dump' }).chosen).to.equal('dump')
  })

  it('autoseed alone permits every copy to an empty server, and nothing to another one', () => {
    const settings = { ...off, autoseed: true }
    expect(allowed({ ...diverged, cause: 'empty', extra: {} }, settings)).to.deep.equal([
      ...['rebuild', 'dump', 'logical-backup', 'physical-backup'],
    ])
    expect(allowed(diverged, settings)).to.deep.equal([])
  })

  it('autorejoin-force-restore alone permits every copy to an old primary, and beside another setting none more', () => {
    const settings = { ...off, 'autorejoin-force-restore': true }
    const copies = ['rebuild', 'dump', 'logical-backup', 'physical-backup', 'zfs']
    expect(allowed(diverged, settings)).to.deep.equal(copies)
    expect(allowed({ ...diverged, cause: 'asked', extra: {} }, settings)).to.deep.equal(copies)
    expect(allowed(diverged, { ...settings, 'autorejoin-mysqldump': true })).to.deep.equal(['dump'])
    expect(allowed(diverged, { ...settings, 'autorejoin-flashback': true })).to.deep.equal(copies)
    const { inSync: _, ...replica } = diverged
    expect(allowed(replica, settings)).to.deep.equal([])
  })

  it('a snapshot is no way back for a server that needs binary logs which are deleted, nor where there is none', () => {
    const settings = { ...off, 'autorejoin-zfs-flashback': true }
    expect(allowed({ ...diverged, cause: 'purged', extra: {} }, settings)).to.deep.equal([])
    expect(allowed({ ...diverged, snapshots: 'zfs is not installed' }, settings)).to.deep.equal([])
  })

  it('a flashback needs its setting for the state of semi-sync at the failover', () => {
    const settings = { ...off, 'autorejoin-flashback': true }
    expect(allowed({ ...diverged, inSync: false }, settings)).to.deep.equal([])
    expect(
      allowed({ ...diverged, inSync: false }, { ...settings, 'autorejoin-flashback-on-unsync': true }),
    ).to.deep.equal(['flashback'])
    expect(allowed(diverged, { ...settings, 'autorejoin-flashback-on-sync': false })).to.deep.equal([])
  })

  it('holds in every state with all settings: nothing is removed that is not saved, and a flashback is one that can be proven', () => {
    let judged = 0
    // With a commit every sixth state, each with all settings.
    const states = [...everyState()]
    for (const facts of sample(states, Math.ceil(states.length / 6)))
      for (const settings of everySetting())
        for (const way of judgeWays(facts, settings)) {
          judged += 1
          if (!way.allowed) continue
          const isOnlyThere = !isEmpty(facts.extra)
          // Without a saved tail the choice is made again after it was saved; never where it is not to be saved.
          if (isOnlyThere && way.replaces) {
            expect(facts.unsaved === true && !facts.tail).to.equal(false)
            expect(!facts.tail || contains(facts.tail.gtids, facts.extra)).to.equal(true)
          }
          if (settings['autorejoin-force-restore']) expect(way.replaces).to.equal(true)
          if (way.method !== 'flashback') continue
          expect(facts).to.include({ cause: 'diverged', flavour: 'mariadb', forkKnown: true })
          expect(facts.source !== undefined && facts.tail?.unfit === undefined).to.equal(true)
        }
    expect(judged).to.be.greaterThan(cases({ commit: 20_000, soak: 100_000 }))
  })

  it('what a person asks for needs no setting, and what is not possible stays so', () => {
    for (const method of returnMethods) {
      const ways = allowed({ ...diverged, tail }, { ...off, 'backup-load-script': '/bin/fill' }, method)
      expect(ways).to.deep.equal(method === 'direct' ? [] : [method])
    }
    expect(
      allowed({ ...diverged, tools: { flashback: true, dump: 'mariadb-dump is not installed' } }, off, 'dump'),
    ).to.deep.equal([])
  })

  it('says why of every way, with a source and a cost where they are known', () => {
    for (const facts of everyState()) for (const way of judgeWays(facts, off)) expect(way.why).to.match(/\w/)
    const dump = judgeWays(diverged, off).find(({ method }) => method === 'dump')
    expect(dump).to.include({ source: 'db2', bytes: 10_000_000_000, load: 'heavy' })
    expect(dump?.estimateMs).to.be.greaterThan(600_000)
  })
})

describe('chooseWay', () => {
  const all = { ...off, 'autorejoin-flashback': true, 'autorejoin-mysqldump': true, 'autorejoin-physical-backup': true }

  it('is the cheapest, then the next when that failed', () => {
    const order: ReturnMethod[] = []
    for (;;) {
      const attempts = order.map((method) => ({ method, at: 1, failure: 'x' }))
      const way = chooseWay(judgeWays(diverged, all), attempts)
      if (!way) break
      order.push(way.method)
    }
    expect(order).to.deep.equal(['flashback', 'rebuild', 'physical-backup', 'dump'])
  })

  it('prefers a way whose duration is known to one where it is not', () => {
    const facts = { ...diverged, source: { server: 'db2', name: 'db2', isPrimary: true } }
    expect(chooseWay(judgeWays(facts, all))?.method).to.equal('flashback')
    expect(chooseWay(judgeWays(facts, { ...off, 'autorejoin-mysqldump': true }))?.method).to.equal('dump')
  })
})

describe('planReturn', () => {
  it('has another id for every state that a person would decide on differently', () => {
    const settings = { ...off, 'autorejoin-mysqldump': true }
    const ids = [
      planReturn(diverged, settings),
      planReturn({ ...diverged, extra: parseGtidSet('0-1-158') }, settings),
      planReturn({ ...diverged, cause: 'empty', extra: {} }, settings),
      planReturn(diverged, off),
    ].map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('says what is lost', () => {
    const { loss } = planReturn(diverged, { ...off, 'autorejoin-mysqldump': true })
    expect(loss).to.include('7 transactions that only it has, which are saved first')
  })

  it('counts only what is certainly its own', () => {
    const facts = { ...diverged, certain: { '0-1': [[155, 157]] } } as const
    const plan = planReturn(facts, { ...off, 'autorejoin-mysqldump': true })
    expect([plan.extra, plan.extraCount]).to.deep.equal(['0-1:155-157', 3])
    expect(plan.loss).to.include('at least 3 transactions that only it has')
  })
})

describe('restAfter', () => {
  it('is a minute, twice as long each time, and an hour at most', () => {
    expect([1, 2, 3, 7, 20].map(restAfter)).to.deep.equal([60_000, 120_000, 240_000, 3_600_000, 3_600_000])
  })
})
