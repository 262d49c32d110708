// The license on disk: `license.json`, its signature beside it, and the signing key in the package.
import { open } from 'node:fs/promises'
import path from 'node:path'
import { sharePath } from '../../base/package-root.js'
import { fail, ok, type Result } from '../../base/result.js'
import type { InstanceUri } from '../instance/uri.js'
import { judgeLicense, type License, readPublicKey } from './license.js'

/** The public key that the operator of a hosted service puts into its packages; missing in a package that belongs to no service. */
export const SIGNING_KEY = sharePath('hosted', 'license.pub')

/** A license has some 200 bytes. */
const LONGEST = 16_384

export interface LicensePlace {
  /** `license.json`. */
  readonly file: string
  /** Another signing key than that of the package: for the tool that makes licenses. */
  readonly key?: string
}

/** Reads the three files and judges the license. `bad-license`: which file, and why it does not count. */
export async function readLicense(
  { file, key = SIGNING_KEY }: LicensePlace,
  own: InstanceUri,
): Promise<Result<License>> {
  const signingKey = await readBounded(key)
  if (!signingKey.ok) return signingKey
  const parsed = readPublicKey(signingKey.value)
  if (!parsed.ok) return fail('bad-license', `${key}: ${parsed.failure.message}`)
  const bytes = await readBounded(file)
  if (!bytes.ok) return bytes
  const signature = await readSignature(file)
  if (!signature.ok) return signature
  const judged = judgeLicense({ bytes: bytes.value, signature: signature.value, key: parsed.value }, own)
  return judged.ok ? judged : fail('bad-license', `${file}: ${judged.failure.message}`)
}

/** `license.sig` of `license.json`. */
export const signatureOf = (file: string): string =>
  path.join(path.dirname(file), `${path.basename(file, '.json')}.sig`)

/** `license.sig`, else `license.json.sig`. */
async function readSignature(file: string): Promise<Result<Buffer>> {
  const usual = await readBounded(signatureOf(file))
  if (usual.ok) return usual
  const other = await readBounded(`${file}.sig`)
  return other.ok ? other : usual
}

async function readBounded(file: string): Promise<Result<Buffer>> {
  try {
    const handle = await open(file, 'r')
    try {
      if (!(await handle.stat()).isFile()) return fail('bad-license', `${file}: not a file`)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST + 1), 0, LONGEST + 1, 0)
      return bytesRead > LONGEST
        ? fail('bad-license', `${file}: longer than ${LONGEST} bytes`)
        : ok(buffer.subarray(0, bytesRead))
    } finally {
      await handle.close()
    }
  } catch (error) {
    return fail('bad-license', `${file}: ${codeText(error)}`)
  }
}

function codeText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'cannot be read'
  return code === 'ENOENT' ? 'there is no such file' : code
}
