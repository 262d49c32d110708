// The seal of tokens: signed RS256, then encrypted RSA-OAEP-256 with A256GCM, with keys made at the first login after a start.
import { type KeyObject, KeyObject as Keys, randomUUID, webcrypto } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, SignJWT } from 'jose'
import { SECOND } from '../../../lib/base/time.js'
import type { Door } from '../../api/kit/route.js'
import type { TokenKeys } from '../kit/options.js'

/** What a token says of its bearer. */
export interface IssuedClaims {
  readonly sub: string
  /** Fingerprint of the credentials it was given for. */
  readonly fp: string
  /** Seconds since the epoch, like `exp`. */
  readonly iat: number
  readonly exp: number
  /** The browser's session that it belongs to: it ends with it. */
  readonly sid?: string
  /** How a visitor without a password came in. */
  readonly door?: Door
}

export interface TokenSeal {
  /** Verifies the signature of an opened token. */
  publicKey(): Promise<KeyObject>
  close(claims: IssuedClaims): Promise<string>
  /** Whether the text begins like a token of this process: cheap, asked of every request. */
  fits(token: string): boolean
  /** Whether it has the form of one throughout: no RSA is spent on anything else. */
  isWellFormed(token: string): boolean
  /** The signed token inside; throws when it was not encrypted to this process. */
  open(token: string): Promise<string>
}

export const ISSUER = 'urn:manager'

const BITS = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }

/** Longest token that is checked. */
const MAX_LENGTH = 4_096

/**
 * One key pair signs, one encrypts. They live in memory only, so a restart ends every session. The first login makes them and
 * waits for them: a tenth of a second or two that no start has to pay.
 */
export function createTokenSeal(makeKeys = makeTokenKeys): TokenSeal {
  const prepare = async () => {
    const made = await makeKeys()
    return { ...made, verifyKey: Keys.from(made.signing.publicKey) }
  }
  let prepared: ReturnType<typeof prepare> | undefined
  const keys = () => {
    prepared ??= prepare()
    return prepared
  }
  const header = { alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: randomUUID() }
  // A token of ours begins with exactly these bytes: another algorithm, key or an earlier start cannot match.
  const start = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`
  const form = /^[\w-]{342}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/
  return {
    publicKey: async () => (await keys()).verifyKey,
    fits: (token) => token.length <= MAX_LENGTH && token.startsWith(start),
    isWellFormed: (token) => form.test(token.slice(start.length)),
    close: async (claims) => {
      const { signing, sealing } = await keys()
      const signed = await sign(claims, signing.privateKey)
      return new CompactEncrypt(Buffer.from(signed)).setProtectedHeader(header).encrypt(sealing.publicKey)
    },
    open: async (token) => {
      const { sealing } = await keys()
      const { plaintext } = await compactDecrypt(token, sealing.privateKey, {
        keyManagementAlgorithms: ['RSA-OAEP-256'],
        contentEncryptionAlgorithms: ['A256GCM'],
      })
      return Buffer.from(plaintext).toString()
    },
  }
}

export async function makeTokenKeys(): Promise<TokenKeys> {
  const [signing, sealing] = await Promise.all([
    webcrypto.subtle.generateKey({ name: 'RSASSA-PKCS1-v1_5', ...BITS }, false, ['sign', 'verify']),
    webcrypto.subtle.generateKey({ name: 'RSA-OAEP', ...BITS }, false, ['encrypt', 'decrypt']),
  ])
  return { signing, sealing }
}

function sign({ sub, fp, iat, exp, sid, door }: IssuedClaims, key: webcrypto.CryptoKey): Promise<string> {
  return new SignJWT({ fp, ...(sid === undefined ? {} : { sid }), ...(door === undefined ? {} : { door }) })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setSubject(sub)
    .setJti(randomUUID())
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .sign(key)
}

/** A `now()` value in the unit of claims. */
export const toClaimTime = (at: number): number => Math.floor(at / SECOND)
