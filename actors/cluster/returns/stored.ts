// The ways back by a stored backup: statements onto the server, or files through a scratch server with the stored logs after them.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { splitWords } from '../../../lib/backup/method/words.js'
import { type RecoveryOrder, scratchRoot } from '../../../lib/backup/restore/recovery.js'
import type { RestoreRun, Tools } from '../../../lib/backup/restore/replay.js'
import { restoreStatements, type StoredCopy } from '../../../lib/backup/restore/restore.js'
import { startRecovery } from '../../../lib/backup/restore/start-recovery.js'
import { modeOf } from '../../../lib/base/files/modes.js'
import { fail, ok } from '../../../lib/base/result.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { writeLogin } from '../../../lib/effect/returns/kit/login.js'
import { withSameServers } from '../../../lib/effect/returns/kit/same-servers.js'
import { startReturnWork } from '../../../lib/effect/returns/start.js'
import type { Backup } from '../../../lib/model/backup.js'
import { type Bring, type Filling, type Order, work, workServer } from './order.js'
import { sendFiles, takesFiles } from './send-files.js'

/** The data are statements: accounts and everything else of the copy. */
export const restoreLogical: Bring = async (actor, { returning: { server }, copy = [], run }) => {
  const [stored] = await openCopies(actor, copy, run.signal)
  const position = stored?.backup.position?.gtid
  if (!stored || position === undefined) return fail('no-recovery', 'the stored backup is not there any more')
  const target = workServer(actor, server)
  const refill = path.join(actor.init.directory, 'refill')
  await mkdir(refill, { recursive: true, mode: modeOf('scratch') })
  const folder = await mkdtemp(path.join(refill, 'stored-'))
  try {
    const login = await writeLogin(target, folder)
    const emptied = await startReturnWork(
      { type: 'empty-server', server: target },
      { ...run, progress: (figures) => void run.progress(figures) },
    )
    if (!emptied.ok) return emptied
    const scheduled = 'scheduled' in emptied.value && emptied.value.scheduled === true
    const order = { copy: stored, tools: toolsOf(actor, stored), login, work: path.join(folder, 'work') }
    const loaded = await withSameServers(
      [target.target],
      ([own]) => restoreStatements({ ...order, ...limitsOf(actor), ...(own ? { own } : {}) }, restoreRun(run)),
      { signal: run.signal },
    )
    if (!loaded.ok) return fail(loaded.failure.code, `${loaded.failure.message}; ${server.name} is empty now`)
    const placed = await work(actor, run, { type: 'place-server', server: target, position, scheduled })
    return placed.ok ? ok(`backup ${stored.backup.id} was loaded, ${placed.value}`) : placed
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The host takes the files; where it cannot, they become a scratch server, stored binary logs are replayed there, its schemas replace those of the server. */
export const restorePhysical: Bring = async (actor, order) => {
  const {
    returning: { server },
    copy = [],
    run,
  } = order
  const { state, init } = actor
  const { settings } = state
  const copies = await openCopies(actor, copy, run.signal)
  const [first, ...increments] = copies
  if (first && increments.length === 0 && takesFiles(actor, order)) return sendFiles(actor, first, order)
  if (!first) return fail('no-recovery', 'the stored backup is not there any more')
  const recovered = path.resolve(settings['monitoring-datadir'], 'backups', init.name, 'recovered')
  await mkdir(recovered, { recursive: true, mode: modeOf('stateFolder') })
  const root = await scratchRoot(settings['monitoring-datadir'], init.name)
  const recovery: RecoveryOrder = {
    ...{ cluster: init.name, copies, scratch: path.join(root, String(run.id)) },
    ...(settings['backup-binlogs'] ? { logs: path.resolve(actor.logs.directory) } : {}),
    tools: toolsOf(actor, first),
    ...limitsOf(actor),
    purpose: {
      type: 'load',
      onto: workServer(actor, server).target,
      saved: path.join(recovered, `before-${server.host}_${server.port}-${now()}.sql.gz`),
    },
  }
  const done = await startRecovery(recovery, restoreRun(run))
  if (!done.ok) return done
  return ok(
    `backup ${copies.at(-1)?.backup.id} was restored, its state at ${done.value.last ?? done.value.position} was loaded`,
  )
}

const restoreRun = ({ signal, log, progress }: Order['run']): RestoreRun => ({
  ...{ signal, log },
  progress: (bytes) => void progress({ bytes }),
})

async function openCopies(
  { backups }: Filling,
  chain: readonly Backup[],
  signal: AbortSignal,
): Promise<readonly StoredCopy[]> {
  const copies: StoredCopy[] = []
  for (const backup of chain) {
    const source = await backups.catalogueOf(backup).source(backup, backup.files?.[0], signal)
    if (!source.ok) return []
    copies.push({ backup, source: source.value })
  }
  return copies
}

const limitsOf = ({ state: { settings } }: Filling) => ({
  loadThreads: settings['backup-logical-load-threads'],
  loadOptions: splitWords(settings['backup-myloader-options']),
  deadlineMs: settings['backup-timeout'] * SECOND,
})

function toolsOf({ state: { settings } }: Filling, { backup }: StoredCopy): Tools {
  const isMariadb = backup.flavour === 'mariadb'
  return {
    binlog: settings['backup-mysqlbinlog-path'] || (isMariadb ? 'mariadb-binlog' : 'mysqlbinlog'),
    client: settings['backup-mysqlclient-path'] || (isMariadb ? 'mariadb' : 'mysql'),
    dump: settings['backup-mysqldump-path'] || (isMariadb ? 'mariadb-dump' : 'mysqldump'),
    myloader: settings['backup-myloader-path'] || 'myloader',
  }
}
