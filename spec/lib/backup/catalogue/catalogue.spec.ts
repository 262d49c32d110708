import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import {
  backupFolder,
  Catalogue,
  parseRecord,
  renderRecord,
  storedName,
} from '../../../../lib/backup/catalogue/index.js'
import { ensureKeys, startTransfer } from '../../../../lib/backup/stream/index.js'
import { unwrap } from '../../../../lib/base/result.js'
import { MINUTE, now } from '../../../../lib/base/time.js'
import type { Backup } from '../../../../lib/model/backup.js'
import { backupOf } from '../../../support/canned/backup.js'
import { newDirectory } from '../../../support/machine/directories.js'
import '../../../support/run/programs.js'

const signal = new AbortController().signal

describe('Catalogue', () => {
  it('lists what has a record, and finds what has none', async () => {
    const { catalogue, make, root } = await newCatalogue()
    const first = await make({ id: 1_795_000_001, startedAt: 1_795_000_001_000 })
    await mkdir(path.join(root, 'shop/db1.example_3306/1795000002'), { recursive: true })
    await writeFile(path.join(root, 'shop/db1.example_3306/1795000002/mysqldump.sql.zst'), 'half of it')
    const reading = unwrap(await catalogue.read(signal))
    expect(reading).to.deep.equal({
      backups: [first],
      unfinished: ['shop/db1.example_3306/1795000002/mysqldump.sql.zst'],
      unreadable: [],
    })
    expect(unwrap(await catalogue.tidy([1_795_000_002], signal))).to.equal(0)
    expect(unwrap(await catalogue.tidy([], signal))).to.equal(1)
    expect(await readdir(path.join(root, 'shop/db1.example_3306'))).to.deep.equal(['1795000001'])
  })

  it('verifies every chunk, and finds a byte that changed', async () => {
    const { catalogue, make, root } = await newCatalogue()
    const backup = await make()
    unwrap(await catalogue.verify(backup, { signal }, MINUTE))
    const file = path.join(root, backupFolder(backup), backup.files?.[0]?.name ?? '')
    const bytes = await readFile(file)
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 9) ^ 1, bytes.length - 9)
    await writeFile(file, bytes)
    const verified = await catalogue.verify(backup, { signal }, MINUTE)
    expect(verified.ok).to.equal(false)
  })

  it('changes a record and reads the change', async () => {
    const { catalogue, make } = await newCatalogue()
    const backup = await make()
    unwrap(await catalogue.read(signal))
    const proof = { at: 5, result: 'proven', restoreMs: 7, checks: [] } as const
    unwrap(await catalogue.keep({ ...backup, proof }, signal))
    expect(unwrap(await catalogue.read(signal)).backups[0]?.proof).to.deep.equal(proof)
  })

  it('removes all of a backup', async () => {
    const { catalogue, make, root } = await newCatalogue()
    unwrap(await catalogue.remove(await make()))
    expect(await readdir(root)).to.deep.equal(['keys'])
  })

  it('reads and removes what an earlier system left, and nothing beside it', async () => {
    const { catalogue, root } = await newCatalogue()
    const folder = path.join(root, 'shop/db1_3306')
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'mysqldump.sql.gz'), 'old')
    await writeFile(path.join(folder, 'notes'), 'of a person')
    const record = {
      ...{ id: 1_700_000_000, startTime: '2023-11-14T22:13:20Z', endTime: '2023-11-14T22:15:00Z', backupMethod: 1 },
      ...{
        backupTool: 'mysqldump',
        backupStrategy: 1,
        source: 'db1:3306',
        dest: '/var/lib/x/shop/db1_3306/mysqldump.sql.gz',
      },
      ...{
        size: 3,
        compressed: true,
        encrypted: false,
        binLogFileName: 'bin.000007',
        binLogFilePos: '42',
        completed: true,
      },
    }
    await writeFile(path.join(folder, 'mysqldump.meta.json'), JSON.stringify(record))
    await writeFile(path.join(folder, 'other.meta.json'), '{"id": 1}')
    const { backups, unfinished, unreadable } = unwrap(await catalogue.read(signal))
    expect(unfinished).to.deep.equal([])
    expect(unreadable.map(({ code }) => code)).to.deep.equal(['file-unreadable'])
    expect(backups[0]).to.include({
      id: 1_700_000_000,
      host: 'db1',
      path: 'shop/db1_3306/mysqldump.sql.gz',
      compression: 'gzip',
    })
    expect(backups[0]?.position).to.deep.equal({ gtid: '', file: 'bin.000007', offset: 42 })
    unwrap(await catalogue.tidy([], signal))
    unwrap(await catalogue.remove(backups[0] as Backup))
    expect((await readdir(folder)).sort()).to.deep.equal(['notes', 'other.meta.json'])
  })
})

describe('renderRecord', () => {
  it('writes the fields that other systems read, and all that parseRecord needs', () => {
    const backup = backupOf({
      ...{ endedAt: 1_795_412_400_000, checksum: 'ab', encryption: { format: 'age', key: 'age1x' } },
      position: { gtid: '0-1-150', file: 'bin.000004', offset: 1_234 },
    })
    const text = renderRecord(backup)
    expect(JSON.parse(text)).to.deep.include({
      ...{ id: 1_795_412_345, backupMethod: 1, backupTool: 'mysqldump', backupStrategy: 1, source: 'db1.example:3306' },
      ...{
        startTime: '2026-11-23T05:39:05.000Z',
        compressed: true,
        encrypted: true,
        encryptionAlgo: 'age',
        completed: true,
      },
      ...{ binLogFileName: 'bin.000004', binLogFilePos: 1_234, binLogUuid: '0-1-150', size: 1_000, checksum: 'ab' },
    })
    const from = { cluster: 'shop', place: 'directory', path: 'shop/x/mysqldump.meta.json' } as const
    expect(unwrap(parseRecord(text, from))).to.deep.equal(backup)
  })
})

async function newCatalogue() {
  const root = newDirectory('catalogue')
  const keyFile = path.join(root, 'keys')
  unwrap(await ensureKeys(keyFile, now()))
  const place = { kind: 'directory', root } as const
  const catalogue = new Catalogue(place, 'shop', keyFile)
  const make = async (more: Partial<Backup> = {}): Promise<Backup> => {
    const begun = backupOf({ ...more, encryption: { format: 'age', key: '' } })
    const backup = { ...begun, path: backupFolder(begun) }
    const name = storedName('mysqldump.sql', backup.compression, true)
    const source = { type: 'program', file: 'head', args: ['-c', '300000', '/dev/urandom'] } as const
    const sink = {
      ...({ type: 'stored', place, path: `${backupFolder(backup)}/${name}`, compression: backup.compression } as const),
      encryption: { keyFile },
    }
    const {
      storedBytes: size,
      checksum,
      chunks,
    } = unwrap(await startTransfer({ source, sink, deadlineMs: MINUTE }, { signal }).done)
    const whole = { ...backup, size, checksum, files: [{ name, size, checksum }] }
    unwrap(await catalogue.keep(whole, signal, { [name]: chunks }))
    return whole
  }
  return { catalogue, make, root }
}
