// Where the manager logs in with a secret: what configuration files, environment or flags give goes to addresses of the same
// origin only, and as that origin has the server proven. A cluster whose users choose otherwise at run time brings an account of its own.
import { globalGrants } from '../../access/grants.js'
import { done, fail, type Result } from '../../base/result.js'
import { isSecret, reveal } from '../../base/secret.js'
import { splitAddress } from '../kit/address.js'
import { type SettingName, type Settings, settingRow } from '../table/index.js'
import { type Configuration, effectiveValue, givenValue, type Scope } from './configuration.js'
import { renderOrigin } from './fault.js'

interface Receiver {
  /** Lists of addresses, or the text of one. */
  readonly addresses: readonly SettingName[]
  /** The setting of the port where an entry has none: the same host at another port is another place. */
  readonly port?: SettingName
  /** The port in an entry is of something else. */
  readonly byHost?: true
  /** The secrets that are shown there. */
  readonly secrets: readonly SettingName[]
  /** Absent: always. */
  readonly when?: (settings: Settings) => boolean
}

/** Addresses that need a grant for the whole service anyway (`machine: 'account'` of their rows) are none of these. */
const receivers: readonly Receiver[] = [
  { addresses: ['db-servers-hosts'], secrets: ['db-servers-credential', 'replication-credential'] },
  { addresses: ['proxysql-servers'], port: 'proxysql-admin-port', secrets: ['proxysql-password'] },
  { addresses: ['maxscale-servers'], port: 'maxscale-port', secrets: ['maxscale-pass'] },
  {
    addresses: ['backup-streaming-endpoint', 'backup-streaming-bucket'],
    secrets: ['backup-streaming-aws-access-secret'],
  },
  {
    // What is provisioned over SSH holds the account of the databases, and that of the proxy.
    addresses: ['db-servers-hosts', 'haproxy-servers', 'proxysql-servers', 'maxscale-servers'],
    port: 'onpremise-ssh-port',
    byHost: true,
    secrets: ['onpremise-ssh-credential', 'db-servers-credential', 'haproxy-password'],
    when: (settings) => settings['onpremise-ssh'],
  },
]

/** A setting by which a server proves that it is the one that the secret is meant for. */
interface Proof {
  readonly setting: SettingName
  readonly secrets: readonly SettingName[]
  /** What is chosen proves less than what is given, or something else. */
  readonly isWeaker: (given: unknown, chosen: unknown) => boolean
}

const databaseAccounts = ['db-servers-credential'] as const
const isAnother = (given: unknown, chosen: unknown): boolean => given !== chosen
const isOff = (given: unknown, chosen: unknown): boolean => given === true && chosen !== true

const proofs: readonly Proof[] = [
  {
    setting: 'db-servers-accept-unproven-keys',
    secrets: databaseAccounts,
    isWeaker: (given, chosen) => chosen === true && given !== true,
  },
  {
    setting: 'db-servers-public-key-policy',
    secrets: databaseAccounts,
    isWeaker: (given, chosen) => given === 'strict' && chosen !== 'strict',
  },
  { setting: 'db-servers-public-keys', secrets: databaseAccounts, isWeaker: isAnother },
  { setting: 'db-servers-tls-ca-cert', secrets: databaseAccounts, isWeaker: isAnother },
  {
    // Sessions use TLS by it.
    setting: 'db-servers-tls-client-cert',
    secrets: databaseAccounts,
    isWeaker: (given, chosen) => given !== '' && given !== chosen,
  },
  { setting: 'db-servers-tls-use-generated-cert', secrets: databaseAccounts, isWeaker: isOff },
  { setting: 'replication-use-ssl', secrets: ['replication-credential'], isWeaker: isOff },
]

/**
 * `setting-grant` when a change of one cluster has a secret that it inherits shown at an address that its users chose, now or
 * after the next start, where changes of what files give are gone; or at an address that is proven less than where it is given. The message names both settings, and the ways out. What
 * was so before the change is left alone: a user who may had it so.
 */
export function permitReceivers(before: Configuration, after: Configuration, scope: string): Result<void> {
  const known = new Set(leaksOf(before, scope).map(({ key }) => key))
  const leak = leaksOf(after, scope).find(({ key }) => !known.has(key))
  if (!leak) return done
  const { address, rule, secret, origin, isLater, ownLasts } = leak
  const shown = isLater ? 'holds again after the next start of the manager, and is' : 'is'
  const ownFirst = ownLasts ? `set ${secret} for ${scope} first, an account of its own, or ` : ''
  return fail(
    'setting-grant',
    `${address}: ${secret} (${origin}) ${shown} ${rule}: ${ownFirst}have it done with a grant for the whole service (${globalGrants.join(' or ')})`,
  )
}

/** Where the account of the databases comes from that the cluster inherits, for messages; undefined: it has one of its own, or none. */
export function inheritedAccount({ server, clusters }: Configuration, scope: string): string | undefined {
  const own = clusters.get(scope)
  return own && inheritedOf(server, own, databaseAccounts)[0]?.origin
}

interface Leak {
  readonly key: string
  readonly address: SettingName
  /** Which rule is broken, for the message. */
  readonly rule: string
  readonly secret: SettingName
  /** Where the secret comes from. */
  readonly origin: string
  /** After the next start of the manager. */
  readonly isLater: boolean
  /** An account of its own lasts as long as the address: files give neither, or both, and both end with the next start. */
  readonly ownLasts: boolean
}

function leaksOf({ server, clusters }: Configuration, scope: string): readonly Leak[] {
  const own = clusters.get(scope)
  if (!own) return []
  const leaksIn = (layers: Scope, isLater: boolean): readonly Leak[] =>
    [
      ...receivers.flatMap((receiver) =>
        receiver.when?.(own.settings) === false ? [] : leaksTo(server, layers, receiver),
      ),
      ...proofs.flatMap((proof) => leaksBy(server, layers, proof)),
    ].map((leak) => ({ ...leak, key: `${isLater} ${leak.key}`, isLater }))
  return [...leaksIn(own, false), ...leaksIn({ ...own, runtime: new Map() }, true)]
}

function leaksTo(
  server: Scope,
  own: Scope,
  { addresses, port, byHost, secrets }: Receiver,
): readonly Omit<Leak, 'isLater'>[] {
  const inherited = inheritedOf(server, own, secrets)
  if (inherited.length === 0) return []
  const isGivenHere = (name: SettingName): boolean => givenValue(server, own, name) !== undefined
  return addresses.flatMap((address) => {
    const read = (name: SettingName, isGiven: boolean) =>
      isGiven
        ? (givenValue(server, own, name)?.value ?? settingRow(name).default)
        : effectiveValue(server, own, name).value
    const placesOf = (isGiven: boolean) =>
      places(read(address, isGiven), { port: port && Number(read(port, isGiven)), byHost })
    const given = new Set(placesOf(true))
    const chosen = placesOf(false).filter((place) => !given.has(place))
    return chosen.flatMap((place) =>
      inherited.map((one) => ({
        ...{ key: `${address} ${place} ${one.secret}`, address, ...one },
        rule: `shown only at addresses that are given where it is, and ${place} is not`,
        ownLasts: isGivenHere(address) || !isGivenHere(one.secret),
      })),
    )
  })
}

function leaksBy(server: Scope, own: Scope, { setting, secrets, isWeaker }: Proof): readonly Omit<Leak, 'isLater'>[] {
  const given = givenValue(server, own, setting)
  const chosen = effectiveValue(server, own, setting).value
  if (!isWeaker(given?.value ?? settingRow(setting).default, chosen)) return []
  return inheritedOf(server, own, secrets).map((one) => ({
    ...{ key: `${setting} ${String(chosen)} ${one.secret}`, address: setting, ...one },
    rule: 'sent only to servers that are proven as is set where it is',
    ownLasts: given !== undefined || givenValue(server, own, one.secret) === undefined,
  }))
}

interface Inherited {
  readonly secret: SettingName
  readonly origin: string
}

function inheritedOf(server: Scope, own: Scope, secrets: readonly SettingName[]): readonly Inherited[] {
  return secrets.flatMap((secret) => {
    const { value, origin, replaced } = effectiveValue(server, own, secret)
    const isOwn = (origin.kind === 'saved' || origin.kind === 'runtime') && replaced === undefined
    // What the program is built with is no secret.
    const isShown = isOwn || origin.kind === 'default' || !isSecret(value) || reveal(value) === ''
    return isShown ? [] : [{ secret, origin: renderOrigin(replaced?.origin ?? origin) }]
  })
}

interface Ports {
  readonly port: number | undefined
  readonly byHost: true | undefined
}

/** Each spelled in one way, with its port where it has one. */
function places(value: unknown, { port, byHost }: Ports): readonly string[] {
  const entries = Array.isArray(value) ? value.map(String) : [String(value)]
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const address = splitAddress(entry, port)
      return address ? `${address.host.toLowerCase()}:${(byHost && port) ?? address.port}` : entry
    })
}
