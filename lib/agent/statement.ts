// What a manager states about a cluster, signed: one line of text that an agent on a database's host verifies without a secret.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import * as z from 'zod'
import { fail, ok, type Result } from '../base/result.js'
import { SECOND } from '../base/time.js'

const schema = z.object({
  cluster: z.string(),
  /** Of the agent's question: an answer to an earlier one, or to another agent, is none to this. */
  nonce: z.string(),
  primary: z.object({ id: z.string(), name: z.string(), host: z.string(), port: z.number() }),
  /** False: it is read-only although nothing moves the role, and it has everything that the cluster is known to have. */
  writable: z.boolean(),
  /** How long before the signing the probe began that showed this; a length of time, so that no two clocks are compared. */
  probedMs: z.number().nonnegative(),
  validMs: z.number().positive(),
})

export type Statement = Readonly<z.infer<typeof schema>>

/** How long a manager's statement is valid, from the probe behind it. An agent may be configured to take it for less. */
export const VALID_MS = 10 * SECOND

/** Signs with an Ed25519 key: `<base64url of the JSON>.<base64url of the signature>`. */
export function signStatement(statement: Statement, key: KeyObject): string {
  const text = Buffer.from(JSON.stringify(statement))
  return `${text.toString('base64url')}.${sign(null, text, key).toString('base64url')}`
}

/** Failure `bad-request`: it is damaged, or none of the keys signed it. */
export function readStatement(line: string, keys: readonly KeyObject[]): Result<Statement> {
  const [text = '', signature = '', ...rest] = line.trim().split('.')
  const bytes = Buffer.from(text, 'base64url')
  if (rest.length > 0 || !keys.some((key) => verify(null, bytes, key, Buffer.from(signature, 'base64url'))))
    return fail('bad-request', 'the statement is not signed by a known key')
  try {
    const parsed = schema.safeParse(JSON.parse(bytes.toString('utf8')))
    return parsed.success ? ok(parsed.data) : fail('bad-request', `the statement: ${parsed.error.issues[0]?.message}`)
  } catch {
    return fail('bad-request', 'the statement is no JSON')
  }
}

export interface KeyTexts {
  readonly privateKey: string
  readonly publicKey: string
}

/** A new pair as PEM. */
export function makeKeys(): KeyTexts {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicKey: String(publicKey.export({ type: 'spki', format: 'pem' })),
  }
}

/** Of one PEM text with any number of public keys. Failure `bad-request`. */
export function readKeys(text: string): Result<readonly KeyObject[]> {
  try {
    const blocks = text.match(/-----BEGIN PUBLIC KEY-----[\s\S]+?-----END PUBLIC KEY-----/g) ?? []
    const keys = blocks.map((block) => createPublicKey(block))
    if (keys.length === 0) return fail('bad-request', 'there is no public key in it')
    return keys.every(({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519')
      ? ok(keys)
      : fail('bad-request', 'a key is not of the type Ed25519')
  } catch (error) {
    return fail('bad-request', error instanceof Error ? error.message : String(error))
  }
}

export const publicKeyOf = (privateKey: string): string =>
  String(createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' }))
