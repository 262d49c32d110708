// Jobs as they are kept: their lines on disk, their end remembered, those of a killed manager failed.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { JobBook } from '../../../../actors/cluster/services/jobs.js'
import { done, fail, unwrap } from '../../../../lib/base/result.js'
import { JOB_LINES_KEPT, JOBS_KEPT } from '../../../../lib/model/operation/job.js'
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import { newDirectory } from '../../../support/machine/directories.js'

const service: ServiceSpec = { kind: 'database', id: 'db1', name: 'alpha', host: '10.0.0.1', port: 3306 }
const request = { service, task: 'provision', user: 'ann' } as const

describe('JobBook', () => {
  let directory = ''
  const complaints: string[] = []
  const open = () =>
    JobBook.open({ directory, noted: () => {}, changed: () => {}, complain: (text) => void complaints.push(text) })
  beforeEach(() => {
    directory = newDirectory('jobs')
    complaints.length = 0
  })

  it('shows the lines of a running job so far, stamped and without what only a terminal reads', async () => {
    const book = await open()
    const job = book.begin(request)
    job.log('\u001b[31mred\u001b[0m\r')
    job.log('two')
    const report = unwrap(await book.read(job.id))
    expect(report.job).to.include({ id: 1, state: 'running', lines: 2, name: 'alpha', user: 'ann' })
    expect(report.log.map((line) => line.replace(/^\S+Z /, ''))).to.deep.equal(['red', 'two'])
  })

  it('remembers how jobs ended, over a restart too', async () => {
    const book = await open()
    await book.begin(request).end(done)
    await book.begin(request).end(fail('ssh-unreachable', 'alpha is down'))
    const again = await open()
    expect(again.list().map(({ id, state, result }) => [id, state, result])).to.deep.equal([
      [1, 'done', 'done'],
      [2, 'failed', 'alpha is down'],
    ])
    expect(again.begin(request).id).to.equal(3)
    expect(unwrap(await again.read(2)).log.join()).to.match(/failed: alpha is down$/)
  })

  it('ends those that ran when the manager was killed', async () => {
    const book = await open()
    const job = book.begin(request)
    job.log('half way')
    await book.close()
    const [left] = (await open()).list()
    expect(left).to.include({ state: 'failed' })
    expect(left?.result).to.match(/the manager ended while it ran/)
  })

  it('keeps so many lines of one job and so many jobs', async () => {
    const book = await open()
    const chatty = book.begin(request)
    for (let line = 0; line < JOB_LINES_KEPT + 50; line += 1) chatty.log(`${line}`)
    await chatty.end(done)
    const { log } = unwrap(await book.read(chatty.id))
    expect(log).to.have.length(JOB_LINES_KEPT + 1)
    expect(log.at(-1)).to.equal('(further lines are not kept)')
    for (let count = 0; count < JOBS_KEPT; count += 1) await book.begin(request).end(done)
    expect(book.list()).to.have.length(JOBS_KEPT)
    expect(book.find(chatty.id)).to.equal(undefined)
    expect(await readdir(path.join(directory, 'jobs'))).to.have.length(JOBS_KEPT + 1)
  })

  it('takes a damaged index for an empty one and says what cannot be written', async () => {
    const book = await open()
    await book.begin(request).end(done)
    await writeFile(path.join(directory, 'jobs/index.json'), '{')
    expect((await open()).list()).to.deep.equal([])
    directory = path.join(directory, 'jobs/index.json')
    await (await open()).begin(request).end(done)
    expect(complaints.join()).to.match(/index\.json/)
    expect(await readFile(directory, 'utf8')).to.equal('{')
  })

  it('names a job that is not there', async () => {
    const read = await (await open()).read(7)
    expect(read.ok ? '' : read.failure.code).to.equal('unknown-job')
  })
})
