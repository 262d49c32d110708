// What an owner leaves to the next one of flags of servers and of jobs, on a real etcd.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { done, fail, unwrap } from '../../../lib/base/result.js'
import {
  ClusterCopy,
  dropFlags,
  type Etcd,
  fetchCopy,
  isLeft,
  leaveCopy,
  ownerKey,
  restoreCopy,
} from '../../../lib/lease/index.js'
import type { Job } from '../../../lib/model/operation/job.js'
import {
  appendJobLog,
  clearCookie,
  consumeCookie,
  hasCookie,
  keepCopies,
  leaveJobLog,
  readFlags,
  readJobLog,
  readJobs,
  setCookie,
  writeJobs,
} from '../../../lib/store/index.js'
import { newDirectory } from '../../support/machine/directories.js'
import { EtcdServer } from '../../support/machine/etcd.js'

const job = (id: number, change: Partial<Job> = {}): Job => ({
  ...{ id, task: 'restart', kind: 'database', service: 'db1', name: 'db1', host: 'db1', port: 3306, user: 'ann' },
  ...{ state: 'done', startedAt: 1_000 * id, endedAt: 1_000 * id + 1, result: 'done', lines: 1 },
  ...change,
})

describe('ClusterCopy', () => {
  let server: EtcdServer
  let etcd: Etcd
  let fleets = 0
  const ending: (() => void)[] = []
  before(async () => {
    server = await EtcdServer.create()
    etcd = server.client()
  })
  afterEach(() => {
    for (const end of ending.splice(0)) end()
  })
  after(async () => {
    etcd?.close()
    await server?.end()
  })

  const newPrefix = () => {
    fleets += 1
    return `/fleet${fleets}`
  }
  /** The next owner of the cluster, whose directory becomes what the earlier one left. */
  const own = async (prefix: string, directory = path.join(newDirectory('owner'), 'shop')) => {
    mkdirSync(directory, { recursive: true })
    const key = ownerKey(prefix, 'shop')
    await etcd.commit([], [{ type: 'delete', key }])
    const { revision } = unwrap(await etcd.commit([{ key, created: 0 }], [{ type: 'put', key, value: '{}' }]))
    const place = { etcd, prefix, cluster: 'shop', token: revision, pieces: 0, isOwner: () => true }
    const copy = new ClusterCopy(place)
    const left = unwrap(await fetchCopy(etcd, prefix, 'shop'))
    unwrap(left ? await restoreCopy(directory, left, copy) : await leaveCopy(directory, copy))
    ending.push(
      keepCopies(directory, async (name, bytes) => {
        if (!isLeft(name)) return done
        return bytes === undefined ? copy.remove(name) : copy.put(name, Buffer.from(bytes).toString())
      }),
    )
    return { directory, copy, db: (name: string) => path.join(directory, `${name}_3306`) }
  }

  it('leaves the flags as they are, with their times, and in place of those that the next owner had', async () => {
    const prefix = newPrefix()
    const one = await own(prefix)
    for (const cookie of ['restart', 'waitstart', 'noconfigfetch'] as const)
      unwrap(await setCookie(one.db('db1'), cookie))
    unwrap(await setCookie(one.db('db2'), 'reprov'))
    unwrap(await clearCookie(one.db('db2'), 'reprov'))
    expect(unwrap(await consumeCookie(one.db('db1'), 'waitstart'))).to.equal(true)
    const flags = await readFlags(one.directory)
    expect([...flags.keys()]).to.deep.equal(['db1_3306/@cookie_restart'])
    const other = path.join(newDirectory('owner'), 'shop')
    unwrap(await setCookie(path.join(other, 'db2_3306'), 'waitstop'))
    const two = await own(prefix, other)
    expect(await readFlags(two.directory)).to.deep.equal(flags)
    unwrap(await clearCookie(two.db('db1'), 'restart'))
    expect(await readFlags((await own(prefix)).directory)).to.have.property('size', 0)
  })

  it('leaves those of the first owner, and drops them where another instance owns the cluster', async () => {
    const prefix = newPrefix()
    const directory = path.join(newDirectory('owner'), 'shop')
    unwrap(await setCookie(path.join(directory, 'db1_3306'), 'reprov'))
    await dropFlags(etcd, prefix, { name: 'shop', directory })
    expect(await hasCookie(path.join(directory, 'db1_3306'), 'reprov'), 'before anyone owned it').to.equal(true)
    await own(prefix, directory)
    const two = await own(prefix)
    expect(await hasCookie(two.db('db1'), 'reprov')).to.equal(true)
    await dropFlags(etcd, prefix, { name: 'shop', directory })
    expect(await hasCookie(path.join(directory, 'db1_3306'), 'reprov')).to.equal(false)
  })

  it('gives no yes for a flag that the next owner would still find', async () => {
    const directory = path.join(newDirectory('owner'), 'shop')
    const db1 = path.join(directory, 'db1_3306')
    unwrap(await setCookie(db1, 'waitstart'))
    const flags = await readFlags(directory)
    ending.push(keepCopies(directory, async () => fail('store-unreachable', 'away')))
    const taken = await consumeCookie(db1, 'waitstart')
    expect(!taken.ok && taken.failure.code).to.equal('store-unreachable')
    expect(await readFlags(directory)).to.deep.equal(flags)
    const set = await setCookie(db1, 'restart')
    expect(!set.ok && set.failure.code).to.equal('store-unreachable')
  })

  it('leaves the latest jobs with the ends of their logs, and keeps what an instance knows besides of the same', async () => {
    const prefix = newPrefix()
    const one = await own(prefix)
    const jobs = Array.from({ length: 60 }, (_, index) => job(index + 1))
    for (const { id } of jobs) unwrap(await appendJobLog(one.directory, id, [`line of ${id}`]))
    unwrap(
      await appendJobLog(
        one.directory,
        60,
        Array.from({ length: 500 }, (_, line) => `a long line ${line}`),
      ),
    )
    unwrap(await writeJobs(one.directory, jobs))
    for (const { id } of jobs) unwrap(await leaveJobLog(one.directory, id, jobs.slice(0, id)))
    const two = await own(prefix)
    expect(await readJobs(two.directory)).to.deep.equal(jobs.slice(-50))
    expect(unwrap(await readJobLog(two.directory, 59))).to.deep.equal(['line of 59'])
    expect(unwrap(await readJobLog(two.directory, 60)).at(-1)).to.equal('a long line 499')
    expect(unwrap(await readJobLog(two.directory, 30))).to.deep.equal([])
    unwrap(await writeJobs(two.directory, [...jobs.slice(-50), job(61, { state: 'running' })]))
    const again = await own(prefix, one.directory)
    expect((await readJobs(again.directory)).map(({ id }) => id)).to.deep.equal(jobs.map(({ id }) => id).concat(61))
    expect(unwrap(await readJobLog(again.directory, 60))).to.have.length(501)
  })

  it('leaves nothing of other jobs under the numbers of those that were left', async () => {
    const prefix = newPrefix()
    const one = await own(prefix)
    unwrap(await appendJobLog(one.directory, 1, ['theirs']))
    unwrap(await writeJobs(one.directory, [job(1)]))
    unwrap(await leaveJobLog(one.directory, 1, [job(1)]))
    const other = path.join(newDirectory('owner'), 'shop')
    mkdirSync(path.join(other, 'jobs'), { recursive: true })
    writeFileSync(path.join(other, 'jobs/index.json'), JSON.stringify([job(1, { startedAt: 7 }), job(2)]))
    for (const id of [1, 2]) writeFileSync(path.join(other, `jobs/${id}.log`), 'mine\n')
    const two = await own(prefix, other)
    expect(await readJobs(two.directory)).to.deep.equal([job(1)])
    expect(unwrap(await readJobLog(two.directory, 1))).to.deep.equal(['theirs'])
    expect(unwrap(await readJobLog(two.directory, 2))).to.deep.equal([])
    expect(readFileSync(path.join(other, 'jobs/index.json'), 'utf8')).to.include('"id":1')
  })

  it('takes no path out of the directory for a flag or a job', () => {
    for (const name of [
      '../x_1/@cookie_restart',
      'a/b_1/@cookie_restart',
      'db1_3306/@cookie_',
      'jobs/../1.log',
      'jobs/x.log',
    ])
      expect(isLeft(name), name).to.equal(false)
  })
})
