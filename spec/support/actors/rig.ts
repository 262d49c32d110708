// Supervisors over the specs' host threads, and what a spec asks of them again and again.
import { expect } from 'chai'
import type { ActorRef } from '../../../actors/protocol/envelope.js'
import { type CrashRecord, Supervisor, type SupervisorOptions } from '../../../actors/supervisor/index.js'
import { unwrap } from '../../../lib/base/result.js'
import { type SubjectProtocol, subjectViews } from './protocol.js'

export const hostEntry = new URL('./host.js', import.meta.url)
export const brokenEntry = new URL('./broken-host.js', import.meta.url)
export const lateEntry = new URL('./late-host.js', import.meta.url)
export const subjectKinds = { subject: { views: subjectViews } }

export interface Rig {
  readonly supervisor: Supervisor
  readonly crashes: CrashRecord[]
  ref(id: string): ActorRef<SubjectProtocol>
}

/** Quick to restart; a thread hangs and an actor stops late as in the product, however busy the machine is. `stop` it in `afterEach`. */
export function openRig(options: Partial<SupervisorOptions> = {}): Rig {
  const crashes: CrashRecord[] = []
  const supervisor = new Supervisor({
    entry: hostEntry,
    kinds: subjectKinds,
    threads: 1,
    policy: { intensity: 2, backoffMs: 5 },
    onCrash: (record) => crashes.push(record),
    ...options,
  })
  const ref = (id: string) => {
    const found = supervisor.ref<SubjectProtocol>(id)
    if (!found) throw new Error(`no actor ${id}`)
    return found
  }
  return { supervisor, crashes, ref }
}

/** Adds actors and waits until each has answered once: every `count` is 1 then. */
export async function populate(rig: Rig, ids: readonly string[]): Promise<void> {
  for (const id of ids) unwrap(rig.supervisor.add(id, 'subject', {}))
  for (const count of await counts(rig, ids)) expect(count).to.equal(1)
}

/** A host that opens late, or after a crash, may need longer than the deadline of most questions. */
export const counts = (rig: Rig, ids: readonly string[]): Promise<readonly number[]> =>
  Promise.all(ids.map(async (id) => unwrap(await rig.ref(id).ask('count', {}, { deadlineMs: 60_000 }))))
