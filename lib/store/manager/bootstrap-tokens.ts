// One-time tokens that let one server's host fetch its archive: only their hashes are kept, a file each in its folder.
import path from 'node:path'
import { ok, type Result } from '../../base/result.js'
import { atMost, makeOneTime, type OneTimeFolder, readOneTime, spendOneTime } from '../kit/one-time-files.js'

export interface BootstrapToken {
  /** Returned once; it cannot be read again. */
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The prefix of a token, so that users and programs recognise one. */
export const TOKEN_START = 'mbt_'

/** Unused ones of one server. */
export const BOOTSTRAP_TOKENS = 32

/** Those of one server. */
const placeOf = (directory: string): OneTimeFolder => ({
  folder: path.join(directory, '.tokens'),
  start: TOKEN_START,
})

/** A new token for the server of this folder. `wrong-state` when it has too many unused ones. */
export async function makeBootstrapToken(
  directory: string,
  { user, expiresAt, at }: { readonly user: string; readonly expiresAt: number; readonly at: number },
): Promise<Result<BootstrapToken>> {
  const made = await makeOneTime(placeOf(directory), {
    expiresAt,
    at,
    record: () => ({ user }),
    judge: atMost(BOOTSTRAP_TOKENS),
  })
  return made.ok ? ok({ token: made.value.secret, expiresAt: made.value.expiresAt }) : made
}

/** Whether the token was issued for the server of this folder, has not expired and was not used. */
export const checkBootstrapToken = async (directory: string, token: string, at: number): Promise<boolean> =>
  (await readOneTime(placeOf(directory), token, at)) !== undefined

/** Uses the token up: true for exactly one of several concurrent callers. */
export const spendBootstrapToken = async (directory: string, token: string, at: number): Promise<boolean> =>
  (await spendOneTime(placeOf(directory), token, at)) !== undefined
