// The log's file on a real disk: what is appended, put aside and thrown away.
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { type LogFileOptions, openLogFile } from '../../../../actors/manager/outlet/log-file.js'
import { unwrap } from '../../../../lib/base/result.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('openLogFile', () => {
  let file: string
  beforeEach(() => {
    file = path.join(newDirectory('log-file'), 'logs/manager.log')
  })
  const options = (rest: Partial<LogFileOptions> = {}) => ({
    ...{ file, maxBytes: 100, keep: 2, keepDays: 0, dropped: (lines: number) => JSON.stringify({ lines }) },
    ...rest,
  })
  const old = async () => (await readdir(path.dirname(file))).filter((name) => name !== 'manager.log').sort()

  it('appends to what is there, and makes what is not', async () => {
    const first = unwrap(await openLogFile(options()))
    first.write('one\n')
    first.write('two\n')
    await first.close()
    const second = unwrap(await openLogFile(options()))
    second.write('three\n')
    await second.close()
    expect(await readFile(file, 'utf8')).to.equal('one\ntwo\nthree\n')
    expect((await stat(file)).mode & 0o777).to.equal(0o640)
  })

  it('begins a new file at the size, and keeps as many old ones as are configured', async () => {
    for (const letter of 'abcd') {
      const log = unwrap(await openLogFile(options()))
      log.write(`${letter.repeat(80)}\n`)
      await log.close()
    }
    expect(await readFile(file, 'utf8')).to.equal(`${'d'.repeat(80)}\n`)
    const kept = await Promise.all((await old()).map((name) => readFile(path.join(path.dirname(file), name), 'utf8')))
    expect(kept.map(([letter]) => letter)).to.deep.equal(['b', 'c'])
  })

  it('throws away what is older than is configured, and nothing that is not its own', async () => {
    await mkdir(path.dirname(file), { recursive: true })
    const aged = `${file}.20200101T000000.000Z`
    for (const name of [aged, `${file}.notes`]) {
      await writeFile(name, 'old')
      await utimes(name, new Date(0), new Date(0))
    }
    await writeFile(file, 'x'.repeat(90))
    const log = unwrap(await openLogFile(options({ keep: 9, keepDays: 7 })))
    log.write('a line that does not fit\n')
    await log.close()
    const names = await old()
    expect(names).to.have.length(2).and.include('manager.log.notes').and.not.include(path.basename(aged))
  })

  it('reports how many lines were dropped, in a line of the form of the others', async () => {
    const log = unwrap(await openLogFile(options({ maxBytes: 10_000_000 })))
    for (let index = 0; index < 20_007; index += 1) log.write(`${JSON.stringify({ index })}\n`)
    await log.close()
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(lines).to.have.length(20_001)
    expect(lines.map((line) => JSON.parse(line) as object).at(-1)).to.deep.equal({ lines: 7 })
  })

  it('says which setting names a file that cannot be written', async () => {
    const opened = await openLogFile(options({ file: '/proc/none/manager.log' }))
    expect(opened.ok ? '' : opened.failure.message).to.match(/^log-file \/proc\/none\/manager\.log: /)
  })
})
