// What a command of an operation does, as one line for people. Pure; plans, logs and pages say the same.

import type { Command } from './operation/command.js'
import type { EventKey } from './server/reading.js'
import type { ServerId } from './server/server.js'

/** One line for people: what the command does, to whom. */
export function commandText(command: Command, name: (server: ServerId | undefined) => string): string {
  switch (command.type) {
    case 'reprobe':
      if (command.proof)
        return `Wait for the second refused connection, then elect again; abort unless ${name(command.candidate)} is elected`
      return command.frozen
        ? `Elect again, now that no replica receives; abort unless ${name(command.candidate)} is elected`
        : `Probe all servers again; abort unless ${name(command.candidate)} is still the best candidate`
    case 'run-script':
      return `Run ${command.script}`
    case 'fence':
      return `Fence ${name(command.server)}: make it read-only`
    case 'take-back':
      return `Take the role back from ${name(command.server)}, unless it takes writes or has taken some`
    case 'stop-receiving':
      return `Stop receiving on ${name(command.server)}; it continues to apply`
    case 'apply-received':
      return `Wait until ${name(command.server)} has applied what it received`
    case 'promote':
      return `End replication on ${name(command.server)}`
    case 'set-semi-sync':
      return `Semi-sync on ${name(command.server)}: source side ${onOff(command.source)}, replica side ${onOff(command.replica)}`
    case 'make-writable':
      return `Make ${name(command.server)} writable`
    case 'make-read-only':
      return `Make ${name(command.server)} read-only`
    case 'repoint':
      return `Repoint ${name(command.server)} to ${name(command.source)}`
    case 'renew-login':
      return `Set the new replication password on ${name(command.server)}`
    case 'start-replication':
      return `Start replication on ${name(command.server)}`
    case 'stop-replication':
      return `Stop replication on ${name(command.server)}`
    case 'forget-history':
      return `Remove the source of ${name(command.server)} and delete its binary logs`
    case 'route-writes':
      return command.primary === undefined
        ? 'Hold writes at the proxies'
        : `Route writes to ${name(command.primary)} at the proxies`
    case 'set-events':
      return `Turn the event scheduler of ${name(command.server)} ${onOff(command.on)}`
    case 'enable-events':
      return command.events === undefined
        ? `Enable events on ${name(command.server)}: not known which were enabled on the old primary`
        : `Enable the events of the old primary on ${name(command.server)}: ${listed(command.events)}`
    case 'end-sessions':
      return `End the sessions of clients on ${name(command.server)}`
    case 'set-variables':
      return `Set ${assignments(command.values)} on ${name(command.server)}`
    case 'guard-long-writes':
      return `Wait at most ${command.waitMs} ms for writes on ${name(command.server)} that run longer than ${command.longerThanSeconds} s`
    case 'check-login':
      return `Log in on ${name(command.server)} with the replication account; abort if it is ${command.lenient ? 'refused' : 'not accepted'}`
    case 'check-logs':
      return `Compare the oldest binary log of ${name(command.server)} with what ${name(command.source)} has; abort if it could not follow`
    case 'freeze':
      return `Freeze ${name(command.server)}: read-only, then a global read lock`
    case 'unfreeze':
      return `Unfreeze ${name(command.server)} (${command.writable ? 'writable' : 'read-only'})`
    case 'catch-up':
      return `Wait until ${name(command.server)} has everything ${name(command.source)} has`
    case 'mark-primary':
      return `Write a harmless transaction on ${name(command.server)}`
    case 'record-crash':
      return `Record the position at which ${name(command.crash.newPrimary)} took over`
    case 'save-tail':
      return `Save the transactions that only ${name(command.server)} has`
    case 'report':
      return command.text
  }
}

const listed = (events: readonly EventKey[]): string =>
  events.map(({ schema, name }) => `${schema}.${name}`).join(', ') || 'none were enabled there'

const assignments = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const onOff = (on: boolean): string => (on ? 'on' : 'off')
