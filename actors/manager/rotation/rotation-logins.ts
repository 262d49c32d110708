// The passwords of a rotation: generated, put into the settings, read back from its record.
import { randomBytes } from 'node:crypto'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal, type Secret } from '../../../lib/base/secret.js'
import type { LoginChanges } from '../../../lib/model/operation/rotation.js'
import { credentials } from '../../../lib/settings/secret/credentials.js'
import type { Settings } from '../../../lib/settings/table/index.js'

/** Those whose passwords change. */
export const rotatedSettings = ['db-servers-credential', 'replication-credential'] as const

/** New passwords for both accounts; one for both where they are one. */
export function freshLogins(settings: Settings): Result<LoginChanges> {
  const [monitor, replication] = rotatedSettings.map((name) => credentials(settings[name]))
  if (!monitor?.user || !replication?.user)
    return fail('wrong-state', `${rotatedSettings.join(' and ')} must name the accounts to rotate`)
  const own = { user: monitor.user, from: reveal(monitor.password), to: newPassword() }
  if (monitor.user === replication.user) {
    const isOne = reveal(replication.password) === own.from
    return isOne
      ? ok({ monitor: own, replication: own })
      : fail('wrong-state', `${rotatedSettings.join(' and ')} give ${own.user} two different passwords`)
  }
  return ok({
    monitor: own,
    replication: { user: replication.user, from: reveal(replication.password), to: newPassword() },
  })
}

/** 32 characters, the most that a source definition accepts; all classes that password checks require, none to be quoted. */
export function newPassword(): string {
  for (;;) {
    const text = randomBytes(24).toString('base64url')
    if (/^[A-Za-z0-9].*[A-Za-z0-9]$/.test(text) && [/[a-z]/, /[A-Z]/, /[0-9]/, /[-_]/].every((kind) => kind.test(text)))
      return text
  }
}

/** The settings with the new passwords. Failure `unsupported`: they were changed meanwhile. */
export function adoptLogins(settings: Settings, logins: LoginChanges) {
  const wanted = settingsOf(logins)
  for (const [name, { user, from, to }] of wanted) {
    const text = reveal(settings[name])
    if (text !== `${user}:${from}` && text !== `${user}:${to}` && !(from === '' && text === user))
      return fail('unsupported', `${name} was changed meanwhile; accounts accept the new password`)
  }
  return ok(Object.fromEntries(wanted.map(([name, { user, to }]) => [name, `${user}:${to}`])))
}

/** Failure `unsupported`: the settings have other passwords than the new ones; the accounts still accept the old ones. */
export function judgeAdopted(settings: Settings, { monitor, replication }: LoginChanges): Result<void> {
  const changed = settingsOf({ monitor, replication }).find(([name, { user, to }]) => !holds(settings[name], user, to))
  if (!changed) return done
  return fail('unsupported', `${changed[0]} was changed meanwhile; accounts accept the old and the new password`)
}

/** The settings still have the old passwords. */
export const holdsOld = (settings: Settings, logins: LoginChanges): boolean =>
  settingsOf(logins).every(([name, { user, from }]) => holds(settings[name], user, from))

const settingsOf = ({ monitor, replication }: LoginChanges) =>
  [
    ['db-servers-credential', monitor],
    ['replication-credential', replication],
  ] as const

function holds(setting: Secret, user: string, password: string): boolean {
  const held = credentials(setting)
  return held.user === user && reveal(held.password) === password
}

export function parseLogins(text: string): Result<LoginChanges> {
  try {
    return ok(JSON.parse(text) as LoginChanges)
  } catch {
    return fail('file-unreadable', 'rotation.json holds no passwords')
  }
}
