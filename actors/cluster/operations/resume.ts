// What a starting actor knows: the saved memory, brought up to date by the journal, and what was left unfinished.
import { SECOND } from '../../../lib/base/time.js'
import {
  decideRecovery,
  decisiveServers,
  isUncertain,
  recallInterrupted,
  recallSeen,
} from '../../../lib/decide/repair/recover.js'
import type { Situation } from '../../../lib/decide/situation/situation.js'
import { freshMemory, type Memory } from '../../../lib/model/memory.js'
import type { Plan } from '../../../lib/model/operation/operation.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { abandoned, type Journal, readAppointment, readRoll, type Unfinished } from '../../../lib/store/index.js'
import type { Remembered } from '../state/start.js'
import { recallEnded } from '../state/step/operation.js'
import { lostMemory, recall } from './remember.js'

export interface Resumed extends Remembered {
  readonly interrupted: Unfinished | undefined
}

export async function resume(directory: string, journal: Journal): Promise<Resumed> {
  const [remembered, ended, unfinished, roll, appointment] = await Promise.all([
    recall(directory),
    journal.history(),
    journal.readUnfinished(),
    readRoll(directory),
    readAppointment(directory),
  ])
  const interrupted = unfinished.ok ? unfinished.value : undefined
  const past = ended.ok ? ended.value : []
  const isLost = remembered.memory === freshMemory && (past.length > 0 || interrupted !== undefined)
  const memory = recallEnded(isLost ? lostMemory : remembered.memory, past)
  return {
    ...remembered,
    memory: interrupted ? recallInterrupted(interrupted, memory) : memory,
    ...(roll.value ? { roll: roll.value } : {}),
    ...(appointment.value ? { appointment: appointment.value } : {}),
    damage: [
      ...remembered.damage,
      ...(unfinished.ok ? [] : [unfinished.failure.message]),
      ...roll.damage,
      ...appointment.damage,
    ],
    interrupted,
  }
}

/** Another manager has owned the cluster since, and settled what this one left unfinished. */
export async function abandonUnfinished(journal: Journal, at: number): Promise<void> {
  const unfinished = await journal.readUnfinished()
  if (unfinished.ok && unfinished.value) await journal.append([abandoned(unfinished.value, at)])
}

/** Longest wait for the first probes of servers on which nothing hangs. */
const FIRST_PROBE_MS = 3 * SECOND
/** How long a silent server is given that an interrupted plan may have opened or closed. */
const SILENT_PROBE_MS = 5 * SECOND
/**
 * So many probes, within so long, a silent new primary is given: it may be open, and going back would be wrong. The first
 * may take as long as a connection may, the next ones are short, and from then on they take their time again.
 */
const PATIENT_PROBES = 6
/** One that refuses is given as long if it is unknown whether it was writable: its host may bring it back. */
const PATIENT_MS = 15 * SECOND

/**
 * Whether to wait on, after `forMs` milliseconds. Which way an interrupted plan goes hangs on two servers: no haste of
 * this thread may pass them by.
 */
export function awaitsProbes(
  servers: readonly Pick<ServerSnapshot, 'id' | 'observation' | 'failures'>[],
  interrupted: Unfinished | undefined,
  forMs: number,
): boolean {
  const decisive = interrupted ? decisiveServers(interrupted) : []
  return servers.some(({ id, observation, failures }) => {
    if (observation === 'unseen') return decisive.includes(id) || forMs < FIRST_PROBE_MS
    if (!interrupted || !decisive.includes(id)) return false
    const isNew = id === interrupted.plan.newPrimary
    if (observation === 'refused') return isNew && isUncertain(interrupted) && forMs < PATIENT_MS
    if (observation !== 'silent') return false
    const isUnheard = isNew && failures < PATIENT_PROBES
    return forMs < (isUnheard ? PATIENT_MS : SILENT_PROBE_MS)
  })
}

/** What is to be done about an interrupted operation, and what is known since. */
export interface Settled {
  readonly plan?: Plan
  readonly memory: Memory
}

/** Decides it by what was seen. What needs no plan is settled all the same: the next start must not judge it again. */
export async function settle(interrupted: Unfinished, situation: Situation, journal: Journal): Promise<Settled> {
  const plan = decideRecovery(interrupted, situation)
  if (!plan) await journal.append([abandoned(interrupted, situation.now)])
  const continues = interrupted.plan.continues ?? interrupted.head.id
  return { memory: recallSeen(interrupted, situation), ...(plan ? { plan: { ...plan, continues } } : {}) }
}
