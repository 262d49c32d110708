// Checks of every database server: reachable, logged in, its clock, the privileges of both accounts.
import { replicationLogin, targetOf, tlsFiles } from '../../actors/cluster/state/message/wires.js'
import { now, SECOND } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../lib/connect/sql/session.js'
import { readTls } from '../../lib/connect/sql/tls-files.js'
import { holds, privilegeOf, privilegeRows } from '../../lib/dialect/index.js'
import type { HeldPrivileges, Observation } from '../../lib/model/server/reading.js'
import { addressText, type ServerIdentity } from '../../lib/model/server/server.js'
import { createProbe } from '../../lib/probe/probe.js'
import { type Configuration, type Settings, splitAddress } from '../../lib/settings/index.js'
import type { Verdict } from './verdict.js'

const DEADLINE_MS = 10 * SECOND
/** A difference that confuses the times of logs and backups. */
const CLOCK_MS = 2 * SECOND

/** All servers of a cluster at once, the clusters one after the other. */
export async function checkServers({ clusters }: Configuration): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  for (const [name, { settings }] of clusters) {
    const tls = await readTls(tlsFiles({ name, settings })).catch(() => undefined)
    const checked = settings['db-servers-hosts'].map((entry) => {
      const address = splitAddress(entry)
      const subject = `[${name}] ${entry}`
      return address === undefined
        ? [
            {
              check: 'server',
              subject,
              state: 'problem',
              fact: 'is no address',
              remedy: 'Correct db-servers-hosts.',
            } as const,
          ]
        : checkServer(subject, readOnly(targetOf(address, { name, settings, ...(tls ? { tls } : {}) })), settings)
    })
    verdicts.push(...(await Promise.all(checked)).flat())
  }
  return verdicts
}

/** The manager remembers keys of servers, in files of its own account. */
const readOnly = ({ knownKeys, ...target }: SqlTarget): SqlTarget => ({
  ...target,
  ...(knownKeys ? { knownKeys: { ...knownKeys, learn: false } } : {}),
})

const unreached: Readonly<Record<Exclude<Observation, 'answered'>, string>> = {
  refused: 'Start the server, or correct its address and port; check bind-address and firewalls.',
  silent: 'The host does not answer: check routes and firewalls, then the server.',
  rejected: 'The server is alive and refuses the login: correct db-servers-credential or the account, or its TLS.',
}

const DENIED = 'The account may not read what a probe reads: grant it what share/doc/accounts.md lists.'

/** A statement, not the login, was refused for a missing privilege. */
const isDenied = (message: string): boolean => /error (1044|1142|1143|1227)\b/.test(message)

async function checkServer(subject: string, target: SqlTarget, settings: Settings): Promise<readonly Verdict[]> {
  const probe = createProbe({ server: addressText(target), target, replication: replicationLogin(settings) })
  try {
    const { observation, error, state, tookMs } = await probe.check(DEADLINE_MS)
    if (observation !== 'answered' || state === undefined)
      return [
        {
          ...{ check: 'server', subject, state: 'problem', fact: error?.message ?? observation },
          remedy: observation === 'answered' || isDenied(error?.message ?? '') ? DENIED : unreached[observation],
        },
      ]
    const { versionText } = state.identity
    const slow = await probe.slow(DEADLINE_MS)
    return [
      { check: 'server', subject, state: 'ok', fact: `${versionText}, answered within ${Math.ceil(tookMs)} ms` },
      await checkClock(subject, target),
      ...checkAccounts(subject, state.identity, slow.ok ? slow.value.grants : undefined),
    ]
  } finally {
    probe.close()
  }
}

async function checkClock(subject: string, target: SqlTarget): Promise<Verdict> {
  const about = { check: 'clock', subject } as const
  const session = await openSession(target)
  if (!session.ok) return { ...about, state: 'warning', fact: session.failure.message, remedy: 'Run the doctor again.' }
  const before = now()
  const answer = await session.value.run('SELECT UNIX_TIMESTAMP(NOW(3)) * 1000 AS at', [], DEADLINE_MS)
  session.value.close()
  const at = answer.ok ? Number(answer.value[0]?.[0]?.at) : Number.NaN
  if (Number.isNaN(at))
    return { ...about, state: 'warning', fact: 'its clock cannot be read', remedy: 'Run the doctor again.' }
  const apart = Math.round(Math.max(before - at, at - now(), 0))
  return apart < CLOCK_MS
    ? { ...about, state: 'ok', fact: 'agrees with the clock here' }
    : {
        ...about,
        state: 'warning',
        fact: `is ${apart} ms apart from the clock here`,
        remedy: 'Synchronise both with the same source of time.',
      }
}

type Grants = { readonly own: HeldPrivileges; readonly replication: HeldPrivileges }

/** A line for each privilege that is missing, with the statement that grants it. */
function checkAccounts(subject: string, identity: ServerIdentity, grants: Grants | undefined): readonly Verdict[] {
  const about = { check: 'accounts', subject } as const
  if (grants === undefined)
    return [
      {
        ...about,
        state: 'warning',
        fact: 'the grants cannot be read',
        remedy: 'Grant the account of the manager what share/doc/accounts.md lists.',
      },
    ]
  const missing = privilegeRows.flatMap((row): readonly Verdict[] => {
    const held = grants[row.account]
    const privilege = privilegeOf(row, identity)
    if (!privilege || (row.account === 'replication' && held.names.length === 0)) return []
    if (holds(held, privilege, identity.version)) return []
    const scope = privilege.schema === undefined ? '*.*' : `${privilege.schema}.*`
    const fact = `${held.account} is missing ${privilege.name}, ${row.purpose}`
    const state = row.code.startsWith('WARN') ? 'warning' : 'problem'
    return [{ ...about, state, fact, remedy: `GRANT ${privilege.name} ON ${scope} TO ${held.account}` }]
  })
  const unknown = grants.replication.names.length === 0
  return [
    ...missing,
    ...(unknown
      ? [
          {
            ...about,
            state: 'warning',
            fact: 'the replication account was not found on this server',
            remedy: 'Create the account of replication-credential; share/doc/accounts.md has its statements.',
          } as const,
        ]
      : []),
    ...(missing.length === 0 && !unknown
      ? [{ ...about, state: 'ok', fact: 'both accounts have every privilege' } as const]
      : []),
  ]
}
