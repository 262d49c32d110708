// The users that may connect through a proxy: the accounts of the databases by name, since a proxy ignores hosts.
import type { DatabaseAccount } from '../../model/server/database-account.js'

/** Formats of a stored password that a proxy can authenticate a client with. */
export type HashKind = 'native' | 'caching-sha2'

/**
 * `fit`: one of `hashes` opens every account of the name. `unfit`: none that the proxy can use. `twofold`: it depends on
 * the client's host, which a proxy cannot see.
 */
export type ProxyUser = { readonly name: string } & (
  | { readonly outcome: 'fit'; readonly hashes: readonly string[]; readonly tls: boolean }
  | { readonly outcome: 'unfit' | 'twofold'; readonly reason: string }
)

const shapes: Readonly<Record<HashKind, { readonly plugin: string; readonly shape: RegExp }>> = {
  native: { plugin: 'mysql_native_password', shape: /^\*[0-9a-f]{40}$/i },
  'caching-sha2': { plugin: 'caching_sha2_password', shape: /^\$A\$[0-9A-F]{3}\$/ },
}

/**
 * One per name. Accounts that are locked, that have no name, or that are restricted to the database's own host are left
 * out: a proxy would open the latter to every client that reaches it.
 */
export function proxyUsers(accounts: readonly DatabaseAccount[], kinds: readonly HashKind[]): readonly ProxyUser[] {
  const named = new Map<string, DatabaseAccount[]>()
  for (const account of accounts.filter(mayComeFromElsewhere))
    named.set(account.user, [...(named.get(account.user) ?? []), account])
  return [...named].map(([name, all]) => judge(name, all, kinds))
}

const mayComeFromElsewhere = ({ user, host, locked }: DatabaseAccount): boolean =>
  user !== '' && !locked && !/^(localhost$|127\.|::1$)/i.test(host)

function judge(name: string, accounts: readonly DatabaseAccount[], kinds: readonly HashKind[]): ProxyUser {
  const open = accounts.filter(({ tls }) => tls !== 'certificate')
  if (open.length === 0) return { name, outcome: 'unfit', reason: `${name} logs in with a client certificate` }
  const usable = open
    .map((account) => ({ ...account, hashes: hashesOf(account, kinds) }))
    .filter(({ hashes }) => hashes.length > 0)
  const [first, ...others] = usable
  if (!first) return { name, outcome: 'unfit', reason: `${name} logs in ${waysOf(open)}` }
  const hashes = first.hashes.filter((hash) => others.every((other) => other.hashes.includes(hash)))
  if (hashes.length > 0) return { name, outcome: 'fit', hashes, tls: usable.every(({ tls }) => tls === 'any') }
  const hosts = usable.map(({ host }) => host).join(', ')
  return { name, outcome: 'twofold', reason: `${name} has different passwords for the hosts ${hosts}` }
}

const hashesOf = ({ ways }: DatabaseAccount, kinds: readonly HashKind[]): readonly string[] =>
  ways.flatMap(({ plugin, text }) =>
    kinds.some((kind) => shapes[kind].plugin === plugin && shapes[kind].shape.test(text)) ? [text] : [],
  )

function waysOf(accounts: readonly DatabaseAccount[]): string {
  const words = accounts.flatMap(({ ways }) =>
    ways.map(({ plugin, text }) => (text === '' && isPassword(plugin) ? 'without a password' : `by ${plugin}`)),
  )
  return [...new Set(words)].join(' or ')
}

const isPassword = (name: string): boolean => Object.values(shapes).some(({ plugin }) => plugin === name)
