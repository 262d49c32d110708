// What the pages of the whole service make of replies: findings by code, backups, points of a recovery, jobs.
import { expect } from 'chai'
import { isOfBackups, readBackups } from '../../../http/dashboard/src/model/upkeep/backups.js'
import {
  filterGroups,
  groupFindings,
  renderExtent,
  sharedSentences,
} from '../../../http/dashboard/src/model/upkeep/finding-groups.js'
import { isOpen, keyOfJob, readJobs } from '../../../http/dashboard/src/model/upkeep/jobs.js'
import { readFigures, readIdentity } from '../../../http/dashboard/src/model/upkeep/manager.js'
import {
  fieldOf,
  pointFlags,
  pointQuery,
  readFound,
  searchQuery,
  secondsOf,
} from '../../../http/dashboard/src/model/upkeep/recovery.js'

const warning = (cluster: string, desc: string, more: object = {}) => ({ cluster, number: 'WARN0310', desc, ...more })

describe('findings of all clusters', () => {
  it('are one group for each code, errors first, then what is open on most clusters', () => {
    const groups = groupFindings({
      errors: [{ cluster: 'b', number: 'ERR00012', desc: 'No primary was found.' }],
      warnings: [
        { cluster: 'a', number: 'WARN0101', desc: 'No backup.' },
        warning('a', 'Keys are open.', { runbook: '/api/runbooks/WARN0310?cluster=a', hint: 'Close them.' }),
        warning('b', 'Keys are open.', { runbook: '/api/runbooks/WARN0310?cluster=b', hint: 'Close them.' }),
      ],
    })
    expect(groups.map(({ code, clusters }) => [code, clusters])).to.deep.equal([
      ['ERR00012', ['b']],
      ['WARN0310', ['a', 'b']],
      ['WARN0101', ['a']],
    ])
    expect(groups[1]).to.deep.include({ runbook: '/api/runbooks/WARN0310', hint: 'Close them.' })
  })

  it('say once what all of them say, and beside each cluster what only it says', () => {
    const [group] = groupFindings({
      warnings: [
        warning('a', 'The manager was late. 6 s were lost.'),
        warning('b', 'The manager was late. 9 s were lost.', { server: 'db2' }),
      ],
    })
    expect(group?.sentence).to.equal('The manager was late.')
    expect(group?.findings.map(({ cluster, server, detail }) => [cluster, server, detail])).to.deep.equal([
      ['a', undefined, '6 s were lost.'],
      ['b', 'db2', '9 s were lost.'],
    ])
  })

  it('with nothing in common keep the whole text of each', () => {
    const [group] = groupFindings({ warnings: [warning('a', 'One.'), warning('b', 'Other.')] })
    expect(group?.sentence).to.equal('One.')
    expect(group?.findings.map(({ detail }) => detail)).to.deep.equal(['One.', 'Other.'])
  })

  it('of two servers count their cluster once, and name the manager', () => {
    const [group] = groupFindings({
      warnings: [warning('a', 'x'), warning('a', 'x', { server: 'db1' }), warning('', 'x')],
    })
    expect(group?.clusters).to.deep.equal(['a'])
    expect(group && renderExtent(group)).to.equal('a and the manager')
  })

  it('share sentences that are whole: no abbreviation of a longer word, no half number', () => {
    expect(sharedSentences(['Size 1.5 GiB.', 'Size 1.7 GiB.'])).to.equal('')
    expect(sharedSentences(['A b. C', 'A b. D'])).to.equal('A b.')
    expect(sharedSentences(['A.', 'A.'])).to.equal('A.')
    expect(sharedSentences([])).to.equal('')
  })

  it('are narrowed to what fits; a code that fits keeps its clusters', () => {
    const groups = groupFindings({
      errors: [{ cluster: 'c', number: 'ERR00012', desc: 'No primary.' }],
      warnings: [warning('shop', 'Keys.'), warning('bank', 'Keys.')],
    })
    const fits = (words: string, severity = '') =>
      filterGroups(groups, { words, severity }).map(({ code, clusters }) => [code, clusters.length])
    expect(fits('SHOP')).to.deep.equal([['WARN0310', 1]])
    expect(fits('warn0310')).to.deep.equal([['WARN0310', 2]])
    expect(fits('', 'error')).to.deep.equal([['ERR00012', 1]])
    expect(fits('nothing')).to.deep.equal([])
  })

  it('are none of a reply that says none', () => {
    expect(groupFindings(undefined)).to.deep.equal([])
    expect(groupFindings({ errors: [{}] })).to.have.length(1)
  })
})

describe('backups', () => {
  const record = {
    ...{ id: 1, startTime: '2026-11-21T01:00:00Z', endTime: '2026-11-21T01:04:00Z', backupMethod: 1, size: 10 },
    ...{ backupTool: 'mysqldump', backupStrategy: 2, source: 'db2:3306', places: ['directory', 's3'], completed: true },
  }

  it('are newest first, with where they are and how long they took', () => {
    const [newer, older] = readBackups([
      { backup: record },
      { backup: { ...record, id: 2, startTime: '2026-11-22T01:00:00Z', endTime: null, completed: false } },
    ])
    expect(newer).to.deep.include({ id: '2', state: 'running' })
    expect(newer).not.to.have.any.keys('size', 'tookMs')
    expect(older).to.deep.include({ state: 'valid', tookMs: 240_000, isIncremental: true, kind: 'logical' })
    expect(older?.places).to.deep.equal(['directory', 's3'])
  })

  it('that ended without being valid have failed, and have no size', () => {
    const [backup] = readBackups([{ backup: { ...record, completed: false } }])
    expect(backup?.state).to.equal('failed')
    expect(backup).not.to.have.property('size')
  })

  it('are proven only by a proof that says so', () => {
    const proof = { at: '2026-11-21T02:00:00Z', result: 'refuted', restoreSeconds: 12.3, checks: [{ name: 'rows' }] }
    const [backup] = readBackups([{ backup: { ...record, proof } }])
    expect(backup?.proof).to.deep.include({ isProven: false, restoreMs: 12_300 })
    expect(backup?.proof?.checks).to.deep.equal([{ name: 'rows', passed: false, detail: '' }])
    expect(readBackups([{ backup: record }])[0]).not.to.have.property('proof')
  })

  it('without an id or a time are left out', () => {
    expect(readBackups([{}, { backup: { id: 1 } }, { backup: { ...record, startTime: 'x' } }])).to.deep.equal([])
    expect(readBackups(undefined)).to.deep.equal([])
  })

  it('have findings of their policy', () => {
    expect(isOfBackups({ code: 'WARN0101' })).to.equal(true)
    expect(isOfBackups({ code: 'WARN0310' })).to.equal(false)
  })
})

describe('a recovery to a point', () => {
  it('names a transaction before or after it, or a moment in seconds', () => {
    const before = { type: 'before', gtid: '0-1-94', at: 1 } as const
    expect(pointQuery(before)).to.deep.equal({ gtid: '0-1-94', before: true })
    expect(pointQuery({ ...before, type: 'after' })).to.deep.equal({ gtid: '0-1-94', before: false })
    expect(pointQuery({ type: 'time', seconds: 12 })).to.deep.equal({ time: 12 })
    expect(pointFlags(before)).to.deep.equal(['--before', '0-1-94'])
    expect(pointFlags({ ...before, type: 'after' })).to.deep.equal(['--gtid', '0-1-94'])
  })

  it('shows a moment in its field as it was chosen there, and empties it for a transaction', () => {
    const seconds = secondsOf('2026-11-24T08:00:01') ?? 0
    expect(fieldOf({ type: 'time', seconds })).to.equal('2026-11-24T08:00:01')
    expect(fieldOf({ type: 'after', gtid: '0-1-94', at: 1 })).to.equal('')
  })

  it('is searched by what was filled in, and nothing else', () => {
    expect(searchQuery({ schema: ' shop ', table: '', from: '', to: 'nonsense' })).to.deep.equal({
      ...{ schema: 'shop', table: undefined, from: undefined, to: undefined, limit: 200 },
    })
    const from = new Date(2026, 10, 24, 8, 0, 1)
    const { from: seconds } = searchQuery({ schema: '', table: '', from: '2026-11-24T08:00:01', to: '' })
    expect(seconds).to.equal(from.getTime() / 1_000)
  })

  it('shows rows by table, then statements', () => {
    const tables = [{ schema: 'shop', table: 'orders', inserted: 2, updated: 0, deleted: 1 }]
    const found = readFound({
      transactions: [{ gtid: '0-1-94', at: 5, tables, statements: ['DROP TABLE `a`'] }],
      ...{ more: true, stored: { from: 1, to: 9 } },
    })
    expect(found.transactions[0]?.lines).to.deep.equal(['shop.orders: 2 inserted, 1 deleted', 'DROP TABLE `a`'])
    expect(found).to.deep.include({ hasMore: true, storedFrom: 1, storedTo: 9 })
    expect(readFound(undefined)).to.deep.equal({ transactions: [], hasMore: false })
  })
})

describe('jobs', () => {
  const task = {
    id: 1,
    task: 'backup-logical',
    server: 'db1:3306',
    origin: 'manager',
    phase: 'done',
    start: 100,
    end: 104,
  }
  const reply = (...tasks: object[]) => ({ servers: { a: { tasks }, b: {} } })

  it('are newest first; one that has not begun stands above them', () => {
    const jobs = readJobs(reply(task, { ...task, id: 2, start: 200 }, { ...task, id: 3, phase: 'queued', start: 0 }))
    expect(jobs.map(({ id }) => id)).to.deep.equal(['3', '2', '1'])
    expect(jobs.map(isOpen)).to.deep.equal([true, false, false])
  })

  it('show what was measured: no rate while nothing flows, no end that was not named', () => {
    const [job] = readJobs(reply({ ...task, phase: 'running', progress: { bytes: 5, rate: 0, secondsLeft: 9 } }))
    expect(job?.progress).to.deep.equal({ bytes: 5, leftMs: 9_000 })
    expect(readJobs(reply({ ...task, progress: undefined }))[0]).not.to.have.property('progress')
  })

  it('of the job tables of databases do not mix with those of the manager', () => {
    const [one, other] = readJobs(reply(task, { ...task, origin: 'table' }))
    expect(one && other && keyOfJob(one) !== keyOfJob(other)).to.equal(true)
  })

  it('of a phase that is not known are left out', () => {
    expect(readJobs(reply({ ...task, phase: 'other' }, {}))).to.deep.equal([])
    expect(readJobs(undefined)).to.deep.equal([])
  })
})

describe('the manager itself', () => {
  it('has the figures that its host gave, and no others', () => {
    const memory = { memoryTotalBytes: 8, memoryUsedBytes: 2, memoryUsedPercent: 25 }
    const unread = { diskPath: '/x', diskTotalBytes: 0, diskUsedBytes: 0, diskUsedPercent: 0 }
    expect(readFigures({ host: { ...memory, ...unread }, process: { uptimeSeconds: 60 } })).to.deep.equal({
      ...{ memory: { used: 2, total: 8, percent: 25 }, uptimeMs: 60_000 },
    })
    expect(readFigures(undefined)).to.deep.equal({})
  })

  it('says what it is', () => {
    const reply = { fullVersion: '0.1.0', os: 'linux', arch: 'x64', clusters: ['a', 'b'], osUser: { username: 'mgr' } }
    expect(readIdentity(reply)).to.deep.equal({ version: '0.1.0', system: 'linux x64', user: 'mgr', clusters: 2 })
    expect(readIdentity({})).to.deep.equal({})
  })
})
