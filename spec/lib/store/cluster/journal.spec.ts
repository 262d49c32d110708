import { appendFile, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import type { Operation, Plan } from '../../../../lib/model/operation/operation.js'
import { type Journal, type JournalEntry, openJournal } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const plan: Plan = {
  kind: 'switchover',
  reason: 'asked',
  commands: [{ type: 'freeze', server: 'db1' }],
  undo: [{ type: 'unfreeze', server: 'db1', writable: true }],
  deadlineMs: 1_000,
}

const head = (id: string): Omit<Operation, 'steps'> => ({
  id,
  kind: 'switchover',
  owner: 'admin',
  reason: 'asked',
  startedAt: 1,
  deadlineAt: 2,
  phase: 'running',
})

const begin = (operation: string): JournalEntry => ({ type: 'begin', operation, at: 1, head: head(operation), plan })
const started = (operation: string): JournalEntry => ({ type: 'started', operation, at: 2, list: 'commands', index: 0 })
const end = (operation: string): JournalEntry => ({
  type: 'end',
  operation,
  at: 3,
  result: { ...head(operation), phase: 'succeeded', steps: [] },
})

const opened: Journal[] = []
const open = async (directory: string, keep?: number): Promise<Journal> => {
  const journal = unwrap(await openJournal(directory, keep === undefined ? {} : { keep }))
  opened.push(journal)
  return journal
}

describe('openJournal', () => {
  afterEach(() => Promise.all(opened.splice(0).map((journal) => journal.close())))

  it('finds nothing unfinished in a new journal', async () => {
    const journal = await open(newDirectory('journal'))
    expect(unwrap(await journal.readUnfinished())).to.equal(undefined)
  })

  it('finds the operation without an end, with its plan and what was done of it', async () => {
    const directory = newDirectory('journal')
    const journal = await open(directory)
    unwrap(await journal.append([begin('a'), end('a'), begin('b'), started('b')]))
    await journal.close()
    const unfinished = unwrap(await (await open(directory)).readUnfinished())
    expect(unfinished).to.deep.equal({ head: head('b'), plan, entries: [started('b')] })
  })

  it('finds nothing unfinished after the end', async () => {
    const journal = await open(newDirectory('journal'))
    unwrap(await journal.append([begin('a'), started('a'), end('a')]))
    expect(unwrap(await journal.readUnfinished())).to.equal(undefined)
    expect(unwrap(await journal.history()).map(({ operation }) => operation.id)).to.deep.equal(['a'])
  })

  for (const cut of [1, 40, 90])
    it(`passes by a last line torn ${cut} characters before its end and writes on behind it`, async () => {
      const directory = newDirectory('journal')
      const file = path.join(directory, 'journal.jsonl')
      const first = await open(directory)
      unwrap(await first.append([begin('a')]))
      await first.close()
      await appendFile(file, JSON.stringify(end('a')).slice(0, -cut))
      const second = await open(directory)
      expect(unwrap(await second.readUnfinished())?.head.id).to.equal('a')
      unwrap(await second.append([end('a')]))
      expect(unwrap(await second.readUnfinished())).to.equal(undefined)
    })

  it('keeps lines whole and in order however many are written at once', async () => {
    const directory = newDirectory('journal')
    const journal = await open(directory)
    const entries = Array.from({ length: 200 }, (_, index): JournalEntry => ({ ...started('a'), at: index }))
    await Promise.all(entries.map((entry) => journal.append([entry])))
    const lines = (await readFile(path.join(directory, 'journal.jsonl'), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).to.deep.equal(entries)
  })

  it('compacts a large file to the latest ends', async () => {
    const directory = newDirectory('journal')
    const journal = await open(directory, 3)
    const reason = 'x'.repeat(1_000)
    for (let round = 0; round < 300; round += 1) {
      const noise = Array.from(
        { length: 4 },
        (): JournalEntry => ({ type: 'undo', operation: `${round}`, at: 2, reason }),
      )
      unwrap(await journal.write([begin(`${round}`), ...noise, end(`${round}`)]))
    }
    unwrap(await journal.compact())
    expect((await stat(path.join(directory, 'journal.jsonl'))).size).to.be.below(10_000)
    unwrap(await journal.append([begin('next')]))
    expect(unwrap(await journal.history()).map(({ operation }) => operation.id)).to.deep.equal(['297', '298', '299'])
    expect(unwrap(await journal.readUnfinished())?.head.id).to.equal('next')
  })

  it('says why it cannot be written once it is closed', async () => {
    const journal = await open(newDirectory('journal'))
    await journal.close()
    expect(await journal.append([begin('a')])).to.have.nested.property('failure.code', 'file-unwritable')
  })
})
