import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { backupFolder, Catalogue } from '../../../../lib/backup/catalogue/index.js'
import type { PlaceConfig } from '../../../../lib/backup/place/place.js'
import { openPlace } from '../../../../lib/backup/place/places.js'
import { startTransfer, type TransferSink, type TransferSource } from '../../../../lib/backup/stream/index.js'
import { unwrap } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { MINUTE } from '../../../../lib/base/time.js'
import type { Backup } from '../../../../lib/model/backup.js'
import { backupOf } from '../../../support/canned/backup.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { type ObjectStorage, startObjectStorage } from '../../../support/machine/object-storage.js'
import '../../../support/run/programs.js'
import { isSoak } from '../../../support/run/soak.js'

const signal = new AbortController().signal

const kinds = ['directory', 's3', 'restic', 'restic in s3'] as const

/** More than one chunk and one part. */
const LARGE_BYTES = 70_000_000

/** restic cuts a stream as it pleases: with a commit it is given a large one by a copy, in a soak by every story. */
const bytesOf = (kind: (typeof kinds)[number]): number =>
  kind.startsWith('restic') && !isSoak ? 1_000_000 : LARGE_BYTES

/** Each call of restic takes a third of a second for its key: with a commit each story has one of both repositories. */
const [forKeeping, forTidying] = isSoak
  ? [kinds, kinds]
  : [kinds.filter((kind) => kind !== 'restic'), kinds.filter((kind) => kind !== 'restic in s3')]

describe('openPlace', () => {
  let storage: ObjectStorage
  before(async () => {
    storage = await startObjectStorage()
  })
  after(() => storage.close())

  const configOf = (kind: (typeof kinds)[number]): PlaceConfig => {
    const root = newDirectory('place')
    const restic = { kind: 'restic', binary: 'restic', password: secret('only here'), timeoutMs: MINUTE } as const
    const { endpoint, bucket, accessKeyId, secretAccessKey } = storage
    switch (kind) {
      case 'directory':
        return { kind, root }
      case 's3':
        return {
          ...{ kind, endpoint, bucket, accessKeyId, secretAccessKey: secret(secretAccessKey) },
          ...{ region: 'us-east-1', prefix: `deep/${path.basename(root)}`, lockDays: 0, timeoutMs: MINUTE },
        }
      case 'restic':
        return { ...restic, repository: path.join(root, 'repository') }
      case 'restic in s3':
        return {
          ...{ ...restic, repository: `s3:${endpoint}/${bucket}/${path.basename(root)}` },
          env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secret(secretAccessKey) },
        }
    }
  }

  for (const kind of forKeeping)
    it(`keeps, lists, gives and removes backups: ${kind}`, async () => {
      const config = configOf(kind)
      unwrap(await openPlace(config).check())
      unwrap(await openPlace(config).check())
      const catalogue = new Catalogue(config, 'shop', '/nowhere')
      const backup = await keep(catalogue, config, bytesOf(kind))
      expect(unwrap(await catalogue.read(signal)).backups).to.deep.equal([backup])
      unwrap(await catalogue.verify(backup, { signal }, MINUTE))
      const restored = newDirectory('restored')
      const source = unwrap(await catalogue.source(backup, backup.files?.[0], signal))
      unwrap(await move(source, { type: 'directory', path: restored }))
      expect(await readdir(restored)).to.deep.equal(['file'])
      // Written again, as with a proof: the newest counts.
      unwrap(await catalogue.keep({ ...backup, keptUntil: 9 }, signal))
      expect(unwrap(await catalogue.read(signal)).backups).to.deep.equal([{ ...backup, keptUntil: 9 }])
      unwrap(await catalogue.remove(backup))
      expect(unwrap(await catalogue.place.list(''))).to.deep.equal([])
    })

  for (const kind of forTidying)
    it(`has nothing of a stream whose source failed, and tidies up: ${kind}`, async () => {
      const config = configOf(kind)
      unwrap(await openPlace(config).check())
      const script = `head -c ${bytesOf(kind)} /dev/urandom; exit 3`
      const source = { type: 'program', file: '/bin/sh', args: ['-c', script] } as const
      const ended = await move(source, {
        type: 'stored',
        place: config,
        path: 'shop/a_1/1795000001/x',
        compression: 'none',
      })
      expect(!ended.ok && ended.failure.message).to.equal('/bin/sh: status 3')
      expect(unwrap(await openPlace(config).list('shop'))).to.deep.equal([])
      unwrap(await openPlace(config).tidy('shop'))
    })

  it('reports what is wrong with a place', async () => {
    const wrongPassword = configOf('restic')
    unwrap(await openPlace(wrongPassword).check())
    for (const [config, words] of [
      [{ ...wrongPassword, password: secret('another') }, /wrong password/],
      [{ ...configOf('s3'), bucket: 'missing' }, /s3:\/\/missing/],
      [{ kind: 'directory', root: '/proc/nowhere' }, /\/proc\/nowhere/],
    ] as const) {
      const checked = await openPlace(config as PlaceConfig).check()
      expect(checked).to.nested.include({ ok: false, 'failure.code': 'place-failed' })
      expect(!checked.ok && checked.failure.message).to.match(words)
    }
  })

  it('copies a backup from one place to another in the form of that place', async () => {
    const [from, to] = [configOf('directory'), configOf('restic')]
    unwrap(await openPlace(to).check())
    const catalogue = new Catalogue(from, 'shop', '/nowhere')
    const backup = await keep(catalogue, from, LARGE_BYTES)
    const source = unwrap(await catalogue.source(backup, backup.files?.[0], signal))
    const folder = backupFolder(backup)
    const sink = { type: 'stored', place: to, path: `${folder}/tree.tar`, compression: 'none' } as const
    const { checksum, storedBytes: size, chunks } = unwrap(await move(source, sink))
    const archive = new Catalogue(to, 'shop', '/nowhere')
    const copy = {
      ...backup,
      place: 'restic',
      compression: 'none',
      files: [{ name: 'tree.tar', size, checksum }],
    } as const
    unwrap(await archive.keep(copy, signal, { 'tree.tar': chunks }))
    unwrap(await archive.verify(copy, { signal }, MINUTE))
    expect(unwrap(await archive.read(signal)).backups).to.deep.equal([copy])
  })
})

const move = (source: TransferSource, sink: TransferSink) =>
  startTransfer({ source, sink, deadlineMs: 3 * MINUTE }, { signal }).done

/** A directory of one random file as a backup. */
async function keep(catalogue: Catalogue, place: PlaceConfig, bytes: number): Promise<Backup> {
  const tree = newDirectory('tree')
  await writeFile(path.join(tree, 'file'), randomBytes(bytes))
  const begun = backupOf({ place: place.kind })
  const name = 'tree.tar.zst'
  const sink = { type: 'stored', place, path: `${backupFolder(begun)}/${name}`, compression: 'zstd' } as const
  const report = unwrap(await move({ type: 'directory', path: tree }, sink))
  const { storedBytes: size, checksum, chunks } = report
  expect(chunks).to.have.length(bytes === LARGE_BYTES ? 2 : 1)
  const backup = { ...begun, path: backupFolder(begun), size, checksum, files: [{ name, size, checksum }] }
  unwrap(await catalogue.keep(backup, signal, { [name]: chunks }))
  return backup
}
