// The registration at a hosted service on disk: `registration.json` of the working directory.
import path from 'node:path'
import type { Result } from '../../base/result.js'
import { readState, type StateFormat, type StateReading, writeState } from '../kit/state-file.js'

const fileOf = (directory: string): string => path.join(directory, 'registration.json')

/** `accept` gives the record when the value is one: the shape is the room's that keeps it. */
export const readRegistration = <T>(directory: string, accept: StateFormat<T>['accept']): Promise<StateReading<T>> =>
  readState(fileOf(directory), { version: 1, accept })

/** On disk when it resolves. Failure: `file-unwritable`. */
export const writeRegistration = <T>(
  directory: string,
  accept: StateFormat<T>['accept'],
  record: T,
): Promise<Result<void>> => writeState(fileOf(directory), { version: 1, accept }, record)
