// The lines of a recording's files: a head with the state that the file begins with, then one line per message. JSON.
import type { Patch } from '../../base/patch.js'
import { parseObject } from '../kit/state-file.js'

/** Of these lines; a program refuses to replay another one. */
export const RECORDING_FORMAT = 1

/**
 * How a part follows on the one before: nothing is missing between them, the manager was started, or messages are missing
 * because the disk was too slow or refused them.
 */
export type Following = 'part' | 'start' | 'gap'

export interface HeadLine {
  readonly type: 'head'
  readonly format: number
  /** Of the program that recorded it. */
  readonly version: string
  readonly cluster: string
  /** Of the first message; milliseconds since the epoch. */
  readonly at: number
  /** Time zone of the process, as decisions about the hour of the day use it. */
  readonly zone: string
  readonly part: number
  readonly follows: Following
  /** Messages that are missing before this part. */
  readonly missing: number
  /** The state before the first message, without secrets. */
  readonly state: unknown
}

/** A message as it was handled. */
export interface MessageLine {
  readonly type: 'message'
  /** When it was handled; milliseconds since the epoch. */
  readonly at: number
  /** When it arrived; absent: at the same moment. */
  readonly since?: number
  readonly message: string
  /** Number of its reply. */
  readonly reply: number
  /** What it is about, a server mostly: its payload is stored as what differs from the one before about the same. */
  readonly about?: string
  /** Absent: it said the same as before. */
  readonly change?: Patch
  /** What was decided: see `decisionsOf`. Absent: nothing. */
  readonly decided?: readonly string[]
  /** The handler threw this; the actor ended with it. */
  readonly threw?: string
}

export type RecordingLine = HeadLine | MessageLine

/** What a payload is compared with: the one before of this name. */
export const streamOf = ({ message, about = '' }: Pick<MessageLine, 'message' | 'about'>): string =>
  `${message} ${about}`

export const renderRecordingLine = (line: RecordingLine): string => `${JSON.stringify(line)}\n`

/** Undefined for a torn or foreign line. */
export function parseRecordingLine(text: string): RecordingLine | undefined {
  const value = parseObject(text)
  if (!value) return undefined
  const isHead = value.type === 'head' && typeof value.format === 'number' && typeof value.state === 'object'
  const isMessage = value.type === 'message' && typeof value.at === 'number' && typeof value.message === 'string'
  return isHead || isMessage ? (value as unknown as RecordingLine) : undefined
}
