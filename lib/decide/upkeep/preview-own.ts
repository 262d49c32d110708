// What would change of the cluster's own record: maintenance, counters, and work that is ended. Pure.
import { fail, ok, type Result } from '../../base/result.js'
import { isoTime } from '../../base/time.js'
import { type Appointment, isOpen } from '../../model/operation/appointment.js'
import type { Work as AnyWork, Preview } from '../../model/operation/preview.js'
import { isRolling, type Roll, rollTitles } from '../../model/operation/roll.js'
import { findServer } from '../../model/snapshot.js'
import { apartText } from '../situation/apart.js'
import type { Situation } from '../situation/situation.js'

type OwnType = 'maintenance' | 'reset' | 'cancel-roll' | 'cancel-appointment' | 'cancel-return'
type OwnWork<T extends OwnType> = Extract<AnyWork, { readonly type: T }>

export interface OwnScene {
  readonly situation: Situation
  readonly roll: Roll | undefined
  readonly appointment: Appointment | undefined
}

type Listed = Result<Pick<Preview, 'steps' | 'risks'> & Partial<Preview>>

const listed = (texts: readonly string[], more: Partial<Preview>): Listed =>
  ok({ steps: texts.map((text) => ({ text, blocksWrites: false })), risks: [], ...more })

/** One row per kind. */
export const ownLists: { readonly [T in OwnType]: (scene: OwnScene, work: OwnWork<T>) => Listed } = {
  maintenance: ({ situation: { snapshot, memory } }, { server: id, on }) => {
    const server = findServer(snapshot, id)
    if (!server) return fail('unknown-server', `${snapshot.cluster} has no server ${id}`)
    const { name, maintenance } = server
    const then = on ?? !maintenance
    if (!then && memory.returns?.[id]?.active)
      return fail('operation-running', `${name} is being filled: its maintenance ends with that`)
    if (!then && memory.newServers?.[id]) return fail('wrong-state', apartText(name))
    if (then === maintenance) return listed([], {})
    return listed([then ? `Put ${name} into maintenance` : `End the maintenance of ${name}`], {
      changes: [{ what: `maintenance of ${name}`, before: stateOf(maintenance), after: stateOf(then) }],
      follows: [
        then
          ? `${name} is left out of decisions: it is neither elected nor repaired.`
          : `${name} takes part in decisions again.`,
        `Proxies are set to the new state of ${name}.`,
        ...(then && snapshot.primary === id ? [`${name} is the primary: no failover happens while it lasts.`] : []),
      ],
    })
  },

  reset: ({ situation: { memory } }, { what }) =>
    what === 'sla'
      ? listed(['End the running period of the availability figures and begin another'], {
          follows: ['The figures of the period that ends are kept in the history.'],
        })
      : listed(['Reset the failover counter and the time of the last failover'], {
          changes: [
            { what: 'failover counter', before: String(memory.failoverCount), after: '0' },
            { what: 'last failover', before: momentOf(memory.lastFailoverAt), after: null },
          ],
          follows: [
            ...(memory.held ? ['Transactions that the primary is missing are accepted as they are (ERR00117).'] : []),
            ...(memory.ambiguous
              ? ['Replicas that passed over transactions of the primary are accepted as they are (ERR00128).']
              : []),
            'Limits on the number of failovers and the time between them count from now.',
          ],
        }),

  'cancel-roll': ({ situation: { snapshot }, roll }, { kind }) => {
    if (isRolling(roll) && roll.kind !== kind)
      return fail('wrong-state', `a ${rollTitles[roll.kind]} is running, and no ${rollTitles[kind]}`)
    if (roll?.kind === kind && isRolling(roll)) {
      const waiting = roll.servers.filter(({ state }) => state === 'waiting').map(({ server }) => server)
      const names = waiting.map((id) => findServer(snapshot, id)?.name ?? id)
      return listed([`End the ${rollTitles[kind]} when the server that has its turn is back`], {
        changes: [{ what: roll.id, before: 'running', after: 'cancelled' }],
        follows: names.map((name) => `${name} is left as it is.`),
      })
    }
    return listed([`Dismiss the need for a ${rollTitles[kind]} and the reason the last one stopped for`], {})
  },

  'cancel-appointment': ({ appointment }) => {
    if (appointment?.phase === 'running') return fail('operation-running', `${appointment.id} is running already`)
    if (!appointment) return listed([], {})
    const { id, phase, from } = appointment
    return isOpen(appointment)
      ? listed([`Take back the switchover that is scheduled for ${isoTime(from)}`], {
          changes: [{ what: id, before: phase, after: 'cancelled' }],
        })
      : listed([`Dismiss ${id}, which ${phase === 'missed' ? 'was missed' : `has ${phase}`}`], {})
  },

  'cancel-return': ({ situation: { snapshot, memory } }, { server: id }) => {
    const name = findServer(snapshot, id)?.name ?? id
    const active = memory.returns?.[id]?.active
    if (active === undefined) return fail('unknown-job', `${name} is not being brought back`)
    return listed([`End the ${active} that brings ${name} back`], {
      changes: [{ what: `return of ${name}`, before: active, after: null }],
      follows: [`${name} stays empty and closed, and is reported, where its data were removed already.`],
    })
  },
}

const stateOf = (on: boolean): string => (on ? 'on' : 'off')

const momentOf = (at: number): string | null => (at === 0 ? null : isoTime(at))
