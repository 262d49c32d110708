// Logins that send the password itself without TLS: it is sealed for a trusted key only. The RSA key that a server
// offers proves nothing: with it, whatever answers at the address reads the password.
import { readFileSync } from 'node:fs'
import { type AuthPlugin, authPlugins } from 'mysql2'
import { addressText } from '../../model/server/server.js'
import { checkKnownKey, keyFingerprint, UnprovenKey } from './known-keys.js'
import type { SqlTarget } from './session.js'

/** Plugins of MySQL that ask the client for the password when the server holds no hash of it yet. */
const sealing = ['caching_sha2_password', 'sha256_password'] as const

/** Whose key it is, and which keys count: pinned ones before all, then any where that is set, then the remembered one. */
export type KeyTrust = Pick<SqlTarget, 'host' | 'port' | 'server' | 'publicKeys' | 'anyKey' | 'knownKeys'>

/** The plugins for sessions without TLS. */
export const trustedKeysOnly = (trust: KeyTrust): Readonly<Record<string, AuthPlugin>> =>
  Object.fromEntries(
    sealing.map((name) => [
      name,
      authPlugins[name]({ onServerPublicKey: (key) => refuseUntrusted(key.toString('latin1'), trust) }),
    ]),
  )

function refuseUntrusted(offered: string, { publicKeys, anyKey = false, knownKeys, ...target }: KeyTrust): void {
  if (publicKeys === undefined && anyKey) return
  const shown = keyFingerprint((offered.match(PEM) ?? [offered])[0])
  if (publicKeys !== undefined) refuseUnpinned(shown, publicKeys)
  else if (knownKeys) checkKnownKey(knownKeys, target.server ?? addressText(target), shown)
  else
    throw new UnprovenKey(
      `the server asks for the password itself, and its RSA key (SHA-256 ${shown}) is unproven: the password was not sent; configure ` +
        'TLS (db-servers-tls-ca-cert), name the key in db-servers-public-keys, or set db-servers-public-key-policy to first-use',
    )
}

function refuseUnpinned(shown: string, file: string): void {
  const pinned = readFileSync(file, 'latin1').match(PEM) ?? []
  if (!pinned.some((pem) => keyFingerprint(pem) === shown))
    throw new UnprovenKey(
      `the RSA key of the server (SHA-256 ${shown}) is none of ${file} (db-servers-public-keys); the password was not sent`,
    )
}

const PEM = /-----BEGIN (?:RSA )?PUBLIC KEY-----[^-]+-----END (?:RSA )?PUBLIC KEY-----/g
