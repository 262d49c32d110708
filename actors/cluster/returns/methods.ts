// The ways back, one row each: what is done to the server until its data are those of the cluster at a known position.
import path from 'node:path'
import { fail, ok } from '../../../lib/base/result.js'
import { MINUTE } from '../../../lib/base/time.js'
import { withSameServers } from '../../../lib/effect/returns/kit/same-servers.js'
import { runLoadScript } from '../../../lib/effect/returns/load-script.js'
import type { ReturnMethod } from '../../../lib/model/operation/way-back.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import { effectSettings, targetOf } from '../state/message/wires.js'
import { listServices } from '../state/services.js'
import { snapshotBefore } from './facts.js'
import { type Bring, type Filling, work, workServer } from './order.js'
import { restoreLogical, restorePhysical } from './stored.js'

/** At most so much of the binary log of the new primary is replayed to prove a flashback, bytes. */
const PROOF_BYTES = 512 * 1024 * 1024
/** Longest time of stopping a server, taking its file system back and starting it, and of a row of the job table until it is taken. */
const SNAPSHOT_MS = 90 * MINUTE

export const methods: Readonly<Partial<Record<ReturnMethod, Bring>>> = {
  flashback: async (actor, { returning, tail, run }) => {
    const { server, crash } = returning
    const next = crash && findServer(actor.state.snapshot, crash.newPrimary)
    if (!crash || !tail || !next) return fail('wrong-state', 'the record of its end as a primary is gone')
    return work(actor, run, {
      type: 'undo-tail',
      directory: tail.directory,
      position: Math.max(4, crash.oldPosition),
      binlogTool: effectSettings(actor.state).binlogTool,
      server: workServer(actor, server),
      source: workServer(actor, next),
      fork: crash.receivedText.replace(/\s+/g, ''),
      sourceFile: crash.newFile,
      sourcePosition: crash.newPosition,
      tables: tail.tables,
      proofBytes: PROOF_BYTES,
    })
  },

  dump: async (actor, { returning: { server }, source: id, run }) => {
    const source = findServer(actor.state.snapshot, id)
    if (!source) return fail('wrong-state', 'no server answers that can be copied')
    return work(actor, run, {
      type: 'load-dump',
      directory: path.join(actor.init.directory, 'refill'),
      server: workServer(actor, server),
      source: workServer(actor, source),
      dumpTool: actor.state.settings['backup-mysqldump-path'],
      clientTool: actor.state.settings['backup-mysqlclient-path'],
      dumpOptions: [],
    })
  },

  /** The old data are kept until the new ones are complete, and come back when they are not. */
  rebuild: async (actor, { returning: { server }, source: id, run: { signal, log } }) => {
    const { renewal } = actor.services.orchestrator
    const service = listServices(actor.state).find((each) => each.id === server.id)
    const source = findServer(actor.state.snapshot, id)
    if (!renewal || !service || !source?.state) return fail('unsupported', 'the orchestrator cannot rebuild it')
    const { host, port, state } = source
    const filling = { signal, log, force: false, donor: { host, port, flavour: state.identity.flavour } }
    const left = await renewal.probe(service, filling)
    if (!left.ok) return left
    // A manager that ended after it had filled the server left the former data aside; what they alone had is saved.
    const tidied = { started: renewal.undo, filled: renewal.finish, none: undefined }[left.value]
    const ready = tidied ? await tidied.call(renewal, service, filling) : ok(undefined)
    const begun = ready.ok ? await renewal.begin(service, filling) : ready
    const filled = begun.ok
      ? await withSameServers([targetOf(source, actor.state)], () => renewal.fill(service, filling), {
          mayBeOnlyCopy: true,
        })
      : begun
    if (filled.ok) return ok(`filled from ${source.name} by the orchestrator; its old data are kept until it follows`)
    const undone = await renewal.undo(service, { ...filling, signal: actor.context.signal })
    const back = undone.ok ? 'it is on its old data' : `its old data could not be restored: ${undone.failure.message}`
    return fail(filled.failure.code, `${filled.failure.message}; ${back}`)
  },

  'logical-backup': restoreLogical,
  'physical-backup': restorePhysical,

  /** Its history goes on from the snapshot: what it wrote with the others comes back by replication. */
  zfs: async (actor, { returning: { server, cause }, tail, run }) => {
    const before = snapshotBefore(cause, tail)
    const ended = await actor.hosts.request(
      server.id,
      { task: 'zfssnapback', deadlineMs: SNAPSHOT_MS, ...(before === undefined ? {} : { snapshot: { before } }) },
      { signal: run.signal, log: run.log },
    )
    if (!ended.ok) return ended
    return ok(ended.value.lines.findLast((line) => line.includes(' is back at ')) ?? 'its file system is back')
  },

  script: async (actor, { returning: { server }, run }) => {
    const primary = findServer(actor.state.snapshot, actor.state.snapshot.primary)
    const file = actor.state.settings['backup-load-script']
    if (!primary) return fail('no-primary', 'The cluster has no primary.')
    return runLoadScript({ file, server, primary }, run)
  },
}

/** What is cleaned up when it follows. */
export async function settleMethod(actor: Filling, server: ServerId, method: ReturnMethod): Promise<void> {
  const { renewal } = actor.services.orchestrator
  const service = listServices(actor.state).find((each) => each.id === server)
  if (method !== 'rebuild' || !renewal || !service) return
  await renewal.finish(service, { signal: actor.context.signal, log: () => undefined, force: false })
}
