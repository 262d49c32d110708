// Whether a cluster has the backups that its policy wants, which one is continued, and how fast a source is read.
import { expect } from 'chai'
import { DAY, HOUR, MINUTE } from '../../../../lib/base/time.js'
import { chainOf, previousOf } from '../../../../lib/decide/backup/incremental.js'
import { type BackupFacts, judgePolicy } from '../../../../lib/decide/backup/policy.js'
import { judgeThrottle, LEAST_RATE } from '../../../../lib/decide/backup/throttle.js'
import type { Backup } from '../../../../lib/model/backup.js'
import type { ServerId } from '../../../../lib/model/server/server.js'
import type { Settings } from '../../../../lib/settings/index.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'

const now = 1_795_440_000_000
const server = 'db2' as ServerId

const backup = (changes: Partial<Backup> = {}): Backup => ({
  ...{ id: 1, cluster: 'shop', kind: 'logical', tool: 'mysqldump', toolVersion: '', strategy: 'full' },
  ...{ server, host: 'db2', port: 3306, flavour: 'mariadb', version: '10.11', state: 'valid' },
  ...{ startedAt: now - HOUR, place: 'directory', path: '', files: [], size: 1, rawSize: 2, compression: 'none' },
  ...changes,
})

const judged = (facts: BackupFacts, settings: Partial<Settings> = {}) =>
  judgePolicy(facts, defaultSettings(settings), now).map(({ code, detail }) => `${code} ${detail}`)

describe('judgePolicy', () => {
  it('concludes nothing before the records were read', () => {
    expect(judged({ backups: undefined })).to.deep.equal([])
  })

  it('misses a backup from the first day, and says that none is made by schedule', () => {
    expect(judged({ backups: [] })).to.deep.equal([
      'WARN0101 None was made, or none is left; backup-max-age is 8 days. No backup is made by schedule.',
    ])
  })

  it('counts the age from the beginning of the newest valid one', () => {
    const backups = [backup({ startedAt: now - 9 * DAY }), backup({ id: 2, state: 'failed' })]
    expect(judged({ backups })[0]).to.match(/^WARN0101 The newest is of 2026-11-14T\S+, 9 days old; /)
    expect(judged({ backups: [...backups, backup()] })).to.deep.equal([])
    expect(judged({ backups }, { 'backup-max-age': 0 })).to.deep.equal([])
  })

  it('names the kind that is scheduled and missing', () => {
    const scheduled = { 'monitoring-scheduler': true, 'scheduler-db-servers-physical-backup': true }
    expect(judged({ backups: [backup()] }, scheduled)).to.deep.equal([
      'WARN0112 None was made; backup-max-age is 8 days.',
    ])
  })

  it('judges the age, the result and the duration of proofs', () => {
    const proof = { at: now - 3 * DAY, result: 'proven', restoreMs: 10 * MINUTE, checks: [] } as const
    const settings = { 'backup-proof-age': 48, 'backup-recovery-time': 300 }
    expect(judged({ backups: [backup({ proof })] }, settings)).to.deep.equal([
      'WARN0401 The latest proof is 3 days old; backup-proof-age is 2 days.',
      'WARN0402 The latest proof took 10 min; backup-recovery-time is 5 min.',
    ])
    const checks = [{ name: 'tables', passed: false, detail: 'shop.orders is corrupt' }]
    const refuted = { ...proof, at: now, result: 'refuted', checks } as const
    expect(judged({ backups: [backup({ proof: refuted })] })).to.deep.equal([
      'WARN0400 Backup 1: tables: shop.orders is corrupt.',
    ])
  })

  it('judges how far stored binary logs are behind', () => {
    const settings = { 'backup-recovery-point': 60 }
    const backups = [backup()]
    expect(judged({ backups }, settings)[0]).to.match(/^WARN0403 Binary logs are not stored/)
    expect(judged({ backups, behindMs: 5 * MINUTE }, { ...settings, 'backup-binlogs': true })[0]).to.match(
      /5 min behind/,
    )
    expect(judged({ backups, behindMs: 1_000 }, { ...settings, 'backup-binlogs': true })).to.deep.equal([])
  })
})

describe('previousOf', () => {
  const full = backup({ kind: 'physical', tool: 'mariabackup', lsn: { from: '0', to: '10' } })
  const next = backup({ ...full, id: 2, strategy: 'incremental', previous: 1, lsn: { from: '10', to: '20' } })
  const question = { server, tool: 'mariabackup', incrementals: 1 } as const

  it('is the latest one, until so many follow a full one', () => {
    expect(previousOf([full], question)?.id).to.equal(1)
    expect(previousOf([full, next], question)).to.equal(undefined)
    expect(previousOf([full, next], { ...question, incrementals: 2 })?.id).to.equal(2)
  })

  it('is none of another server, and none where all are to be full ones', () => {
    expect(previousOf([full], { ...question, server: 'db3' as ServerId })).to.equal(undefined)
    expect(previousOf([full], { ...question, incrementals: 0 })).to.equal(undefined)
  })

  it('knows a chain that is broken', () => {
    expect(chainOf([full, next], next).map(({ id }) => id)).to.deep.equal([1, 2])
    expect(chainOf([next], next)).to.deep.equal([])
  })
})

describe('judgeThrottle', () => {
  const reading = { lagSeconds: 0, bound: 30, rate: 8e6, ceiling: undefined }

  it('halves the rate while the source is behind, never to nothing', () => {
    expect(judgeThrottle({ limit: undefined }, { ...reading, lagSeconds: 31 })).to.deep.equal({ limit: 4e6 })
    expect(judgeThrottle({ limit: 4e6 }, { ...reading, lagSeconds: 31, rate: 4e6 })).to.deep.equal({ limit: 2e6 })
    expect(judgeThrottle({ limit: LEAST_RATE }, { ...reading, lagSeconds: 99 }).limit).to.equal(LEAST_RATE)
  })

  it('gives it back when the source has caught up', () => {
    expect(judgeThrottle({ limit: 2e6 }, { ...reading, lagSeconds: 20 })).to.deep.equal({ limit: 2e6 })
    expect(judgeThrottle({ limit: 2e6 }, { ...reading, rate: 2e6 })).to.deep.equal({ limit: 4e6 })
    expect(judgeThrottle({ limit: 2e6 }, { ...reading, rate: 1e5 })).to.deep.equal({ limit: undefined })
    expect(judgeThrottle({ limit: 2e6 }, { ...reading, rate: 2e6, ceiling: 3e6 })).to.deep.equal({ limit: 3e6 })
  })

  it('leaves it alone where that is not wanted, or the lag is not known', () => {
    expect(judgeThrottle({ limit: undefined }, { ...reading, lagSeconds: 99, bound: 0 }).limit).to.equal(undefined)
    expect(judgeThrottle({ limit: undefined }, { ...reading, lagSeconds: undefined }).limit).to.equal(undefined)
  })
})
