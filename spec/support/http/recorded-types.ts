// The record of types that existing clients decode: written by `spec/http/api/wire-types.spec.ts` with UPDATE=1, read by people.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'
import type { Types } from './types-of.js'

export const recordFile = path.join(packageRoot, 'spec/fixture/wire-types.json')

/** By name of the object. */
export const recordedTypes = (): Readonly<Record<string, Types>> => JSON.parse(readFileSync(recordFile, 'utf8'))
