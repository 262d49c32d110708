// What spec files usually take on two processors, most of them measured beside others: for the order of a run, for what may
// run beside what, and to name a file that takes much longer. `bin/test --record` measures and writes it.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'
import { nameOf } from './specs.js'

export interface Usual {
  readonly seconds: number
  /** Processors that it and what it starts keep busy, on average; absent while only its time is known. */
  readonly cores?: number
}

/** By the name of the file; one that is not there starts nothing and takes less than a second, or is new. */
export type UsualTable = Readonly<Record<string, Usual>>

export const usualFile = path.join(packageRoot, 'spec/support/run/usual.json')

export const readUsual = (): UsualTable => JSON.parse(readFileSync(usualFile, 'utf8')) as UsualTable

/** So many times its usual time is much longer. */
const MUCH = 5
/** The start of a process beside others takes a moment of its own, seconds. */
const LEAST_USUAL = 3

/** A line for each file that took much longer than it usually does; `times` in milliseconds, by compiled file. */
export function muchLonger(times: Readonly<Record<string, number>>, usual: UsualTable): readonly string[] {
  return Object.entries(times).flatMap(([each, ms]) => {
    const known = usual[nameOf(each)]
    if (known === undefined || ms <= MUCH * 1_000 * Math.max(known.seconds, LEAST_USUAL)) return []
    return [`  ${nameOf(each)}: ${Math.round(ms / 1_000)} s, usually ${known.seconds} s`]
  })
}
