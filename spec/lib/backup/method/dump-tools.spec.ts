// What settings put into the calls of dump tools: stand-in programs write down how they were called.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { toolsOf } from '../../../../actors/cluster/backups/recovery.js'
import type { Copying } from '../../../../lib/backup/method/method.js'
import { methodOf } from '../../../../lib/backup/method/methods.js'
import { mydumperMethod } from '../../../../lib/backup/method/mydumper.js'
import { mysqldumpMethod } from '../../../../lib/backup/method/mysqldump.js'
import { storageOf } from '../../../../lib/backup/place/from-settings.js'
import { openPlace } from '../../../../lib/backup/place/places.js'
import { restoreStatements } from '../../../../lib/backup/restore/restore.js'
import { startTransfer, type TransferSource } from '../../../../lib/backup/stream/index.js'
import { fail, ok, unwrap } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { MINUTE } from '../../../../lib/base/time.js'
import { parseVersion } from '../../../../lib/model/server/version.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { backupOf } from '../../../support/canned/backup.js'
import { newDirectory } from '../../../support/machine/directories.js'
import '../../../support/run/programs.js'

const { signal } = new AbortController()

/** A program that answers `--version`, else appends its arguments to `<path>.called`, one a line, and does the rest. */
async function standIn(folder: string, name: string, rest = ''): Promise<string> {
  const file = path.join(folder, name)
  const script = `#!/bin/sh
[ "$1" = --version ] && { echo '${name} 1.2.3 of MariaDB'; exit; }
printf '%s\\n' "$@" >> "$0.called"
${rest}
`
  await writeFile(file, script)
  await chmod(file, 0o755)
  return file
}

const calledOf = async (file: string): Promise<readonly string[]> =>
  (await readFile(`${file}.called`, 'utf8')).trim().split('\n')

async function copyingOf(settings: Copying['settings'], more: Partial<Copying> = {}): Promise<Copying> {
  const target = { host: '127.0.0.1', port: 3306, user: 'backup', password: 'x', connectTimeoutMs: 1_000 }
  const version = parseVersion('10.11.6-MariaDB')
  const address = { host: 'db1', port: 3306 }
  return {
    ...{ cluster: 'shop', settings, scratch: newDirectory('scratch'), signal, deadlineMs: MINUTE },
    lockDdl: false,
    source: { ...address, target, name: 'db1', flavour: 'mariadb', version, binlog: false, primary: address },
    store: async () => fail('backup-failed', 'no bytes are stored here'),
    host: { receive: async () => fail('backup-failed', 'no host') },
    log: () => undefined,
    progress: () => undefined,
    ...more,
  }
}

describe('mydumperMethod', () => {
  it('is given threads, regular expression and options, and runs the program that the settings name', async () => {
    const file = await standIn(newDirectory('tools'), 'own-mydumper', 'exit 1')
    const settings = defaultSettings({
      'backup-mydumper-path': file,
      'backup-mydumper-options': "--rows=1000 --comment='two words'",
      'backup-mydumper-regex': '^(?!shop\\.cache)',
      'backup-logical-dump-threads': 7,
    })
    const copied = await mydumperMethod.copy(await copyingOf(settings))
    expect(copied.ok).to.equal(false)
    expect((await calledOf(file)).slice(2)).to.deep.equal([
      '--threads=7',
      '--regex=^(?!shop\\.cache)',
      '--rows=1000',
      '--comment=two words',
    ])
  })

  it('refuses options that are the manager’s', async () => {
    const settings = defaultSettings({ 'backup-mydumper-options': '--rows=1 --outputdir=/tmp' })
    const copied = await mydumperMethod.copy(await copyingOf(settings))
    expect(!copied.ok && copied.failure.message).to.match(/^backup-mydumper-options: --outputdir=\/tmp is set/)
  })
})

describe('mysqldumpMethod', () => {
  it('adds the options of the settings behind its own', async () => {
    const file = await standIn(newDirectory('tools'), 'own-dump')
    const settings = defaultSettings({
      'backup-mysqldump-path': file,
      'backup-mysqldump-options': '--ignore-table=shop.cache --hex-blob',
    })
    let asked: TransferSource | undefined
    await mysqldumpMethod.copy(
      await copyingOf(settings, {
        store: async (source) => {
          asked = source
          return fail('backup-failed', 'enough')
        },
      }),
    )
    expect(asked).to.include({ type: 'program', file })
    expect(asked?.type === 'program' && asked.args.slice(-2)).to.deep.equal(['--ignore-table=shop.cache', '--hex-blob'])
    const wrong = await mysqldumpMethod.copy(
      await copyingOf(defaultSettings({ 'backup-mysqldump-options': '-r /tmp/x' })),
    )
    expect(!wrong.ok && wrong.failure.code).to.equal('backup-refused')
  })
})

describe('methodOf', () => {
  it('takes the physical tool of backup-physical-type on MySQL, where only xtrabackup copies, and mariabackup on MariaDB', () => {
    const of = (type: 'mariabackup' | 'xtrabackup', flavour: 'mariadb' | 'mysql') =>
      methodOf('physical', defaultSettings({ 'backup-physical-type': type }), flavour)
    expect(unwrap(of('xtrabackup', 'mysql')).tool).to.equal('xtrabackup')
    expect(of('mariabackup', 'mysql').ok).to.equal(false)
    expect(unwrap(of('xtrabackup', 'mariadb')).tool).to.equal('mariabackup')
  })
})

describe('restoreStatements', () => {
  const run = { signal, log: () => undefined, progress: () => undefined }

  const stored = async (tool: 'mysqldump' | 'mydumper') => {
    const root = newDirectory('place')
    const content = path.join(newDirectory('content'), 'files')
    await mkdir(content)
    await writeFile(path.join(content, 'shop.orders.sql'), 'INSERT INTO orders VALUES (1);\n')
    const sink = { type: 'stored', place: { kind: 'directory', root }, path: 'copy', compression: 'none' } as const
    const source: TransferSource =
      tool === 'mydumper'
        ? { type: 'directory', path: content }
        : { type: 'program', file: 'cat', args: [path.join(content, 'shop.orders.sql')] }
    unwrap(await startTransfer({ source, sink, deadlineMs: MINUTE }, { signal }).done)
    return { backup: backupOf({ tool }), source: sink }
  }

  const request = async (settings: ReturnType<typeof defaultSettings>, tool: 'mysqldump' | 'mydumper') => {
    const folder = newDirectory('restore')
    const login = path.join(folder, 'login.cnf')
    await writeFile(login, '[client]\nuser=x\n')
    return {
      ...{ copy: await stored(tool), tools: toolsOf(settings, 'mariadb'), login, work: path.join(folder, 'work') },
      loadThreads: settings['backup-logical-load-threads'],
      loadOptions: settings['backup-myloader-options'].split(' '),
      deadlineMs: MINUTE,
    }
  }

  it('loads by the myloader that the settings name, with its threads and options', async () => {
    const file = await standIn(newDirectory('tools'), 'own-myloader')
    const settings = defaultSettings({
      'backup-myloader-path': file,
      'backup-myloader-options': '--queries-per-transaction=50',
      'backup-logical-load-threads': 5,
    })
    unwrap(await restoreStatements(await request(settings, 'mydumper'), run))
    const called = await calledOf(file)
    expect(called).to.include.members(['--threads=5', '--queries-per-transaction=50'])
  })

  it('feeds a dump to the client that the settings name', async () => {
    const file = await standIn(newDirectory('tools'), 'own-client', 'cat > "$0.read"')
    const settings = defaultSettings({ 'backup-mysqlclient-path': file })
    unwrap(await restoreStatements(await request(settings, 'mysqldump'), run))
    expect(await readFile(`${file}.read`, 'utf8')).to.equal('INSERT INTO orders VALUES (1);\n')
  })
})

describe('an archive by settings', () => {
  it('ends a restic that takes longer than backup-restic-timeout, and gives it the keys of its object storage', async () => {
    const file = await standIn(newDirectory('tools'), 'own-restic', 'env > "$0.env"; exec sleep 600')
    const settings = defaultSettings({
      'monitoring-datadir': newDirectory('data'),
      'backup-restic': true,
      'backup-restic-binary-path': file,
      'backup-restic-repository': 's3:https://storage.example/bucket',
      'backup-restic-password': secret('only here'),
      'backup-restic-aws': true,
      'backup-restic-aws-access-key-id': 'key 1',
      'backup-restic-aws-access-secret': secret('the secret of it'),
      'backup-restic-timeout': 5,
    })
    const { archive } = storageOf('shop', settings)
    const checked = archive ? await openPlace(archive).check() : ok(undefined)
    expect(!checked.ok && checked.failure.message).to.match(/SIGKILL.*\(backup-restic-timeout 5 s\)/)
    const env = (await readFile(`${file}.env`, 'utf8')).split('\n')
    expect(env).to.include.members(['AWS_ACCESS_KEY_ID=key 1', 'AWS_SECRET_ACCESS_KEY=the secret of it'])
  })
})
