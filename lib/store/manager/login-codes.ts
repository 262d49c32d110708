// One-time codes that log a user in: for a link that is printed on the machine, or that a user opens elsewhere.
import { createHmac } from 'node:crypto'
import path from 'node:path'
import { sharedBounds } from '../../access/bound/bounds.js'
import { type Holder, judgeShare, SERVICE } from '../../access/bound/fair-bound.js'
import { ok, type Result } from '../../base/result.js'
import { MINUTE } from '../../base/time.js'
import { makeOneTime, type OneTimeFolder, type OneTimeSecret, spendOneTime } from '../kit/one-time-files.js'

/** Their folder in the working directory. */
export const CODES_FOLDER = 'login-codes'

/** How long one is valid. */
export const CODE_LIFE = 10 * MINUTE

export interface CodeWish {
  readonly user: string
  /** Of the password with which the user asked for it; absent: made on the machine itself, or the user has none. */
  readonly fingerprint?: string
  readonly at: number
  /** Who asks for it; absent: who administers the machine. */
  readonly holder?: Holder
}

/** Whom a code stands for. */
export interface CodeOwner {
  readonly user: string
  /** Whether it was made with this fingerprint; any, when it was made without one. */
  fits(fingerprint: string): boolean
}

/** Below a working directory: who can write there administers the machine. */
const placeOf = (workingDir: string): OneTimeFolder => ({
  folder: path.join(workingDir, CODES_FOLDER),
  start: 'mlc_',
})

/** Unused ones are bounded: by cluster, by user, and in all (`bound-reached`). `file-unwritable`. */
export const makeLoginCode = (
  workingDir: string,
  { user, fingerprint, at, holder = machine }: CodeWish,
): Promise<Result<OneTimeSecret>> =>
  makeOneTime(placeOf(workingDir), {
    expiresAt: at + CODE_LIFE,
    at,
    judge: (unused) => {
      const held = unused.map(({ user: by = '', countsFor = '' }) => ({ user: by, cluster: countsFor }))
      const share = judgeShare(sharedBounds.loginCodes, held, holder)
      return share.ok ? ok({ countsFor: share.value.cluster }) : share
    },
    record: (code) => ({ user, ...(fingerprint === undefined ? {} : { check: checkOf(code, fingerprint) }) }),
  })

/** Counts apart from every user. */
const machine: Holder = { user: SERVICE, clusters: [], isGlobal: true, mayName: () => true }

/** Uses the code up: its owner for exactly one of several concurrent callers. */
export async function spendLoginCode(workingDir: string, code: string, at: number): Promise<CodeOwner | undefined> {
  const record = await spendOneTime(placeOf(workingDir), code, at)
  if (record?.user === undefined) return undefined
  const { user, check } = record
  return { user, fits: (fingerprint) => check === undefined || check === checkOf(code, fingerprint) }
}

/** Says nothing of the password to who reads the file: its key is the code. */
const checkOf = (code: string, fingerprint: string): string =>
  createHmac('sha256', code).update(fingerprint).digest('base64url')
