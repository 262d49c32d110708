// What stops an applier, by rows of sessions and locks as MariaDB 10.11 lists them.
import { expect } from 'chai'
import type { Rows } from '../../../../../lib/dialect/index.js'
import { parseHeldLock, parseLockWait } from '../../../../../lib/dialect/index.js'
import { lockWaitText } from '../../../../../lib/model/server/lock-wait.js'

type Session = readonly [id: number, user: string, command: string, seconds: number, state: string, statement?: string]

const row = (...[id, user, command, seconds, state, statement = '']: Session) => ({
  ...{ id, user, host: user === 'system user' ? '' : '10.0.0.9:41122', command, seconds, state, statement },
})
const receiver = row(6, 'system user', 'Slave_IO', 60, 'Waiting for master to send event')
const idleApplier = row(7, 'system user', 'Slave_SQL', 9, 'Slave has read all relay log; waiting for more updates')
const worker = row(9, 'system user', 'Slave_worker', 2, 'Waiting for backup lock', 'insert into d.t(x) values(1)')
const backup = row(13, 'backup', 'Sleep', 34, '')
const application = row(14, 'app', 'Query', 3, 'Sending data', 'SELECT 1')
const manager = row(15, 'monitor', 'Sleep', 90, '')

const read = (sessions: Rows, holders?: Rows, threadState = '') =>
  parseLockWait({ sessions, ...(holders ? { holders } : {}), threadState, own: new Set([15]) })

describe('parseLockWait', () => {
  it('finds a worker of a parallel applier, which the replication status does not show', () => {
    expect(read([receiver, idleApplier, worker, backup])?.lock).to.equal('backup lock')
    expect(read([receiver, idleApplier, backup])).to.equal(undefined)
    expect(read([receiver, backup], undefined, 'Waiting for table metadata lock')?.lock).to.equal('table metadata lock')
  })

  it('names the holder for certain by the list of locks, and of the lock that is waited for', () => {
    const held = read(
      [worker, backup, application],
      [
        { id: 13, lock_type: 'backup lock' },
        { id: 14, lock_type: 'table metadata lock' },
      ],
    )
    expect(held).to.deep.include({ isProven: true, more: 0 })
    expect(held && lockWaitText(held)).to.equal(
      'waits for the backup lock, held by session 13 of backup@10.0.0.9 (idle for 34 s)',
    )
  })

  it('names those that may hold it without that list, never the own sessions, appliers or who waits', () => {
    const waiting = row(16, 'app', 'Query', 50, 'Waiting for backup lock', 'UPDATE t SET x=1')
    const found = read([receiver, worker, waiting, backup, application, manager])
    expect(found).to.deep.include({ isProven: false })
    expect(found?.holders.map(({ id }) => id)).to.deep.equal([13, 14])
    expect(found && lockWaitText(found)).to.match(
      /which may be held by session 13 .* or session 14 of app@10\.0\.0\.9 \(in a statement for 3 s\)$/,
    )
  })

  it('puts a session first whose statement takes such a lock, and counts those that it does not name', () => {
    const taking = row(20, 'dump', 'Query', 1, 'Waiting for table flush', 'FLUSH TABLES WITH READ LOCK')
    const others = [1, 2, 3, 4].map((id) => row(id, 'app', 'Sleep', 100 + id, ''))
    const found = read([worker, ...others, taking])
    expect(found?.holders.map(({ id }) => id)).to.deep.equal([20, 4, 3])
    expect(found?.more).to.equal(2)
  })

  it('does not take one of two holders of table locks for the one that is waited for', () => {
    const table = row(9, 'system user', 'Slave_worker', 2, 'Waiting for table metadata lock')
    const holders = [13, 14].map((id) => ({ id, lock_type: 'table metadata lock' }))
    expect(read([table, backup, application], holders)?.isProven).to.equal(false)
    expect(read([table, backup, application], holders.slice(0, 1))?.isProven).to.equal(true)
  })

  it('says that nobody could be read where the account sees no sessions of others', () => {
    const found = read([], undefined, 'Waiting for backup lock')
    expect(found && lockWaitText(found)).to.equal('waits for the backup lock; who holds it could not be read')
  })
})

describe('parseHeldLock', () => {
  const holding = (id: number, held: string) => ({
    id,
    user: 'copy',
    host: '10.0.0.9',
    command: 'Sleep',
    seconds: 3,
    held,
  })

  it('names the sessions of the lock that stops more, never the own ones', () => {
    const rows = [holding(15, 'instance'), holding(13, 'commit'), holding(14, 'instance')]
    const found = parseHeldLock(rows, new Set([15]))
    expect(found).to.deep.include({ kind: 'instance', more: 0 })
    expect(found?.holders.map(({ id }) => id)).to.deep.equal([14])
    expect(parseHeldLock(rows.slice(0, 2), new Set([15]))?.kind).to.equal('commit')
    expect(parseHeldLock(rows.slice(0, 1), new Set([15]))).to.equal(undefined)
  })
})
