// The work of a backup's job: the server as it is now, the method of the settings, the place; then what follows a valid backup.

import { Catalogue } from '../../../lib/backup/catalogue/index.js'
import { makeBackup, sizeLine } from '../../../lib/backup/method/make-backup.js'
import type { CopySource } from '../../../lib/backup/method/method.js'
import { methodOf } from '../../../lib/backup/method/methods.js'
import { Valve } from '../../../lib/backup/method/valve.js'
import { storageOf } from '../../../lib/backup/place/from-settings.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { previousOf } from '../../../lib/decide/backup/incremental.js'
import type { Backup } from '../../../lib/model/backup.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import { targetOf } from '../state/message/wires.js'
import { followBackup } from './after-backup.js'
import type { BackingUp, BackupOrder } from './backing-up.js'
import type { JobRun } from './queue.js'
import { receiveCopy } from './receive-copy.js'
import { watchSource } from './watch-source.js'

export interface CopyOrder {
  readonly order: BackupOrder
  readonly server: ServerId
  /** Newest last. */
  readonly backups: readonly Backup[]
}

/** One line that says what was made. */
export async function copyServer(actor: BackingUp, copy: CopyOrder, run: JobRun): Promise<Result<string>> {
  const { state, init } = actor
  const { settings } = state
  const server = findServer(state.snapshot, copy.server)
  if (!server?.state) return fail('job-interrupted', `${copy.server} is not answering`)
  const { flavour } = server.state.identity
  const method = methodOf(copy.order.kind, settings, flavour)
  if (!method.ok) return method
  const incrementals = copy.order.full || !method.value.incremental ? 0 : settings['backup-physical-incremental']
  const previous = previousOf(copy.backups, { server: server.id, tool: method.value.tool, incrementals })
  const valve = new Valve()
  let rate = 0
  const unwatch = watchSource(actor, { server: server.id, valve, log: run.log, rate: () => rate })
  const storage = storageOf(init.name, settings)
  const catalogue = new Catalogue(storage.target, init.name, storage.keyFile)
  const deadlineMs = settings['backup-timeout'] * SECOND
  const made = await makeBackup(
    {
      ...{ cluster: init.name, server: server.id, source: sourceOf(actor, server) },
      versionText: server.state.identity.versionText,
      ...{ method: method.value, settings, lockDdl: settings['backup-lockddl'] },
      ...{ storage, catalogue, backups: copy.backups, scratch: init.directory },
      ...(previous ? { previous } : {}),
      deadlineMs,
    },
    {
      ...{ signal: run.signal, log: run.log, valve },
      progress: (figures) => {
        rate = run.progress(figures).rate
      },
      host: {
        receive: (tool, store) =>
          receiveCopy(
            actor,
            {
              ...{ server: server.id, tool, lockDdl: settings['backup-lockddl'], deadlineMs },
              ...{ ports: storage.streams.ports, isTlsRequired: storage.streams.isTlsRequired },
            },
            { run, store },
          ),
      },
    },
  )
  unwatch()
  if (!made.ok) return (await lostSource(actor, server)) ?? made
  await followBackup(actor, { backup: made.value, storage, catalogue }, run)
  const { strategy, id } = made.value
  return ok(`backup ${id} of ${server.name}: ${strategy}, ${sizeLine(made.value)}`)
}

/** Why it failed, where its source is gone: then another one may do. */
async function lostSource(actor: BackingUp, { id, name }: ServerSnapshot): Promise<Result<never> | undefined> {
  if (actor.context.signal.aborted) return undefined
  // Its program notices the end of a connection before any probe does.
  await actor.watch.probeFresh()
  const observation = findServer(actor.state.snapshot, id)?.observation
  return observation === 'answered' ? undefined : fail('job-interrupted', `${name} does not answer (${observation})`)
}

function sourceOf({ state }: BackingUp, server: ServerSnapshot): CopySource {
  const primary = findServer(state.snapshot, server.sourceId ?? state.snapshot.primary) ?? server
  const { identity, binlog } = server.state ?? {}
  return {
    ...{ host: server.host, port: server.port, name: server.name, target: targetOf(server, state) },
    flavour: identity?.flavour ?? 'mariadb',
    version: identity?.version ?? { major: 0, minor: 0, patch: 0 },
    binlog: binlog ?? false,
    primary: { host: primary.host, port: primary.port },
  }
}
