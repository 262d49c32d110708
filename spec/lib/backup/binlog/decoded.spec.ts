// Recorded outputs of the tools of MariaDB 10.11 and MySQL 9 for the same statements.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Decoder } from '../../../../lib/backup/binlog/decoded.js'
import type { LogEvent, LogTransaction, RowImage } from '../../../../lib/backup/binlog/event.js'
import { groupTransactions } from '../../../../lib/backup/binlog/transactions.js'
import { packageRoot } from '../../../../lib/base/package-root.js'
import type { Flavour } from '../../../../lib/model/server/version.js'

const decode = (name: string, flavour: Flavour, files: readonly string[]): readonly LogEvent[] => {
  const text = readFileSync(path.join(packageRoot, 'spec/fixture/binlog', name), 'latin1')
  const decoder = new Decoder({ flavour, files })
  return [...text.split('\n').flatMap((line) => decoder.take(line)), ...decoder.end()]
}

const grouped = async (events: readonly LogEvent[], mostRows?: number): Promise<readonly LogTransaction[]> => {
  async function* each() {
    yield* events
  }
  const transactions: LogTransaction[] = []
  for await (const transaction of groupTransactions(each(), mostRows)) transactions.push(transaction)
  return transactions
}

const values = (image: RowImage | undefined): readonly string[] =>
  (image ?? []).map(({ position, form, value }) => `${position} ${form} ${value}`)

const shape = ({ gtid, changes, committed }: LogTransaction): string =>
  `${gtid} ${changes.map(({ kind, table, rows }) => [kind, ...(table ? [`${table}:${rows.length}`] : [])].join(' ')).join(', ')}${committed ? '' : ' open'}`

describe('decoded binary logs', () => {
  const mariadb = decode('mariadb-10.11-1.txt', 'mariadb', ['bin.000001'])
  const notes = decode('mariadb-10.11-4.txt', 'mariadb', ['bin.000004'])
  const mysql = decode('mysql-9-1.txt', 'mysql', ['bin.000001'])
  const more = decode('mysql-9-2.txt', 'mysql', ['bin.000003', 'bin.000004'])

  it('groups what MariaDB wrote by transaction', async () => {
    expect((await grouped(mariadb)).map(shape)).to.deep.equal([
      '0-1-1 statement',
      '0-1-2 statement',
      '0-1-3 insert orders:2',
      '0-1-4 update orders:1, delete orders:1',
      '0-1-5 statement',
      '0-1-6 insert odd `name:2',
      '0-1-7 statement',
      '0-1-8 statement',
    ])
  })

  it('groups what MySQL wrote the same way', async () => {
    const uuid = '6266d43a-e766-11f1-ba15-02fc00000001'
    expect((await grouped(mysql)).map(shape)).to.deep.equal([
      `${uuid}:1 statement`,
      `${uuid}:2 statement`,
      `${uuid}:3 insert orders:2`,
      `${uuid}:4 update orders:1, delete orders:1`,
      `${uuid}:5 statement`,
      `${uuid}:6 insert odd \`name:2`,
      `${uuid}:7 statement`,
      `${uuid}:8 statement`,
    ])
  })

  it('reads every type of column', () => {
    const [insert] = mariadb.filter(({ kind }) => kind === 'insert')
    expect(values(insert?.rows[0]?.after)).to.deep.equal([
      '1 number 1',
      "2 text O'Hara",
      '3 text line one\nline two',
      '4 number 12.50',
      '5 number 2',
      '6 text 2026-11-23 15:04:59.123',
      '7 bytes 00ff27',
      '8 bits 00000011',
      '9 bits 10101',
      '10 text {"k": [1, "x"]}',
      '11 number 1795446299',
      '12 number 1.5',
      '13 number 2026',
      '14 text 12:34:56.78',
      '15 number -3',
    ])
    expect(values(mysql.find(({ kind }) => kind === 'insert')?.rows[0]?.after)).to.deep.equal(
      values(insert?.rows[0]?.after),
    )
    expect(insert?.rows[1]?.after?.slice(1, 4).map(({ form }) => form)).to.deep.equal(['null', 'null', 'null'])
    expect(insert?.rows[0]?.after?.at(-1)).to.include({ type: 'TINYINT', unsigned: '253' })
  })

  it('keeps images before and after, and only the columns that the log has', () => {
    const [full] = mariadb.filter(({ kind }) => kind === 'update')
    expect(values(full?.rows[0]?.before).slice(1, 4)).to.deep.equal([
      "2 text O'Hara",
      '3 text line one\nline two',
      '4 number 12.50',
    ])
    expect(values(full?.rows[0]?.after)[3]).to.equal('4 number -7.25')
    const [minimal] = notes.filter(({ kind }) => kind === 'update')
    expect(values(minimal?.rows[0]?.before)).to.deep.equal(['1 number 1'])
    expect(values(minimal?.rows[0]?.after)).to.deep.equal(['2 text shorter'])
    expect(values(more.find(({ kind }) => kind === 'update')?.rows[0]?.after)).to.deep.equal(['2 text shorter'])
  })

  it('reads text that resembles the output itself', () => {
    const text = "2 text back\\slash \\x0a tab\t quote' end /* X meta=1 nullable=1 is_null=0 */"
    const [mysqlRow] = more.find(({ kind }) => kind === 'insert')?.rows ?? []
    expect(values(mysqlRow?.after)).to.deep.equal(['1 number 1', text, '3 bytes ff00276162', '4 number -1'])
    // MariaDB's tool prints a line feed and the four characters \x0a alike: such a value is marked.
    const [row] = notes.find(({ kind }) => kind === 'insert')?.rows ?? []
    expect(row?.after?.map(({ exact }) => exact)).to.deep.equal([true, false, false, true])
    expect(mysqlRow?.after?.map(({ exact }) => exact)).to.deep.equal([true, true, true, true])
    const [, second, third] = notes.find(({ kind }) => kind === 'insert')?.rows ?? []
    expect(values(second?.after)[1]).to.equal('2 text line one\nline two; é 日本')
    expect(third?.after?.[1]).to.include({ form: 'text', value: 'NULL' })
  })

  it('knows where each event lies, who wrote it and which statement caused it', () => {
    const [insert] = mariadb.filter(({ kind }) => kind === 'insert')
    expect(insert).to.include({ gtid: '0-1-3', file: 'bin.000001', offset: 1289, end: 1427, serverId: 1 })
    expect(insert?.at).to.equal(Date.UTC(2026, 10, 23, 17, 49, 46))
    expect(insert?.text).to.match(/^insert into shop\.orders values \(1,'O''Hara'/)
    const alter = notes.find(({ text }) => text?.startsWith('alter'))
    expect(alter).to.include({ schema: 'shop', text: "alter table notes\n add column extra text default 'two\nlines'" })
    const [first] = more.filter(({ kind }) => kind === 'insert')
    expect(first).to.include({
      file: 'bin.000003',
      offset: 1310,
      end: 1483,
      serverId: 2,
      thread: 15,
      at: 1795456263381,
    })
    expect(more.find(({ text }) => text?.startsWith('alter'))).to.include({ file: 'bin.000004', offset: 275, end: 430 })
  })

  it('knows which transactions precede a file, and which file follows it', () => {
    expect(mariadb[0]).to.include({ kind: 'start', text: '' })
    expect(notes[0]).to.include({ kind: 'start', text: '0-1-23' })
    expect(more[0]).to.include({ kind: 'start', text: '6266d43a-e766-11f1-ba15-02fc00000001:1-14' })
    expect(mariadb.at(-1)).to.include({ kind: 'rotate', text: 'bin.000002', end: 2910 })
  })

  it('reads compressed events, and leaves out rows beyond the limit of a transaction', async () => {
    const [last] = (await grouped(notes)).slice(-1)
    expect(values(last?.changes[0]?.rows[0]?.after)[1]).to.equal(`2 text ${'compressed '.repeat(8)}`)
    const [limited] = (await grouped(notes, 2)).filter(({ gtid }) => gtid === '0-1-27')
    expect(limited).to.include({ rowCount: 3, truncated: true })
    expect(limited?.changes[0]?.rows).to.have.length(2)
  })

  it('reports a transaction whose end the log does not have', async () => {
    const cut = mariadb.slice(
      0,
      mariadb.findIndex(({ kind }) => kind === 'delete'),
    )
    expect((await grouped(cut)).map(shape).at(-1)).to.equal('0-1-4 update orders:1 open')
  })
})
