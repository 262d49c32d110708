// Reads the recorded answers of real servers in spec/fixture/dialect.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'
import type { Rows, SlowPart } from '../../../lib/dialect/index.js'

/** One server's answers; the slow ones of primaries only, since those of replicas hold nothing else. */
export interface Recording {
  readonly software: string
  readonly role: 'primary' | 'replica'
  readonly identify: readonly Rows[]
  readonly fast: readonly Rows[]
  readonly semiSync: Rows
  readonly slow: Partial<Record<SlowPart, Rows>>
}

export const fixtureDirectory = path.join(packageRoot, 'spec/fixture/dialect')

export const readRecording = (software: string, role: Recording['role']): Recording =>
  JSON.parse(readFileSync(path.join(fixtureDirectory, `${software}-${role}.json`), 'utf8'))

export const recordings = (): readonly Recording[] =>
  readdirSync(fixtureDirectory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(path.join(fixtureDirectory, name), 'utf8')))
