// Logins that send the password itself without TLS: it is sealed for a pinned key only. The RSA key that a
// server offers proves nothing: with it, whatever answers at the address reads the password.
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type AuthPlugin, authPlugins } from 'mysql2'

/** Plugins of MySQL that ask the client for the password when the server holds no hash of it yet. */
const sealing = ['caching_sha2_password', 'sha256_password'] as const

/** The plugins for sessions without TLS; `file`: public keys of servers (PEM, one after the other); absent: no key is proven. */
export const provenKeysOnly = (file?: string): Readonly<Record<string, AuthPlugin>> =>
  Object.fromEntries(
    sealing.map((name) => [name, authPlugins[name]({ onServerPublicKey: (key) => refuseUnproven(key, file) })]),
  )

function refuseUnproven(offered: Buffer, file: string | undefined): void {
  if (file === undefined)
    throw new Error(
      'the server asks for the password itself, and its RSA key is unproven: the password was not sent; configure TLS ' +
        '(db-servers-tls-ca-cert), name the key in db-servers-public-keys, or set db-servers-accept-unproven-keys',
    )
  const known = readFileSync(file, 'latin1').match(PEM) ?? []
  const key = fingerprint(offered.toString('latin1'))
  if (!known.some((pem) => fingerprint(pem) === key))
    throw new Error(`the RSA key of the server is none of ${file} (db-servers-public-keys); the password was not sent`)
}

const PEM = /-----BEGIN (?:RSA )?PUBLIC KEY-----[^-]+-----END (?:RSA )?PUBLIC KEY-----/g

/** Equal for equal keys however their texts are broken into lines. */
const fingerprint = (pem: string): string =>
  createPublicKey((pem.match(PEM) ?? [pem])[0])
    .export({ type: 'spki', format: 'der' })
    .toString('base64')
