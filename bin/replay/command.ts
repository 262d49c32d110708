// `manager replay`: runs the decisions of a recording again, and prints them with their evidence. It changes nothing.
import { isAsRecorded, Replay, type ReplayedStep } from '../../actors/cluster/recording/replay.js'
import { counted } from '../../lib/base/counted.js'
import { packageVersion } from '../../lib/base/package-root.js'
import { isoTime } from '../../lib/base/time.js'
import { type HeadLine, RECORDING_FORMAT, type RecordingLine, readRecording } from '../../lib/store/index.js'
import { reasonOf } from '../../lib/store/kit/atomic-write.js'
import { isDifferent, renderDecided, renderDifference } from './comparison.js'
import { renderMoment, renderSettings, renderStep } from './render.js'
import { type ReplayWords, readReplayWords } from './words.js'

export type ReplayStatus = 0 | 1 | 2 | 3

/** The exit status: 0; 1 for a file that cannot be replayed, 2 for wrong words, 3 where this version decides otherwise. */
export async function runReplay(given: readonly string[], print: (text: string) => void): Promise<ReplayStatus> {
  const words = readReplayWords(given)
  const write = (lines: readonly string[]) => {
    for (const line of lines) print(`${line}\n`)
  }
  if (!words.ok) {
    process.stderr.write(`${words.failure.message}\n`)
    return 2
  }
  const session = new Session(words.value, write)
  try {
    for await (const line of readRecording(words.value.file)) session.feed(line)
    return session.end()
  } catch (error) {
    process.stderr.write(`${words.value.file}: ${reasonOf(error)}\n`)
    return 1
  }
}

class Session {
  readonly #words: ReplayWords
  readonly #write: (lines: readonly string[]) => void
  readonly #recorded = new Replay()
  readonly #other: Replay | undefined
  #messages = 0
  #decisions = 0
  #differing = 0
  /** The first difference of this stretch was shown: what comes later says nothing. */
  #isOver = false
  #isShown = false
  #lastAt = 0

  constructor(words: ReplayWords, write: (lines: readonly string[]) => void) {
    this.#words = words
    this.#write = write
    this.#other = Object.keys(words.other).length === 0 ? undefined : new Replay(words.other)
  }

  feed(line: RecordingLine): void {
    if (line.type === 'head') this.#begin(line)
    const { at } = this.#words
    if (at !== undefined && line.at > at && !this.#isShown) this.#showMoment(at)
    const recorded = this.#recorded.feed(line)
    const other = this.#isOver ? undefined : this.#other?.feed(line)
    if (line.type === 'head' && line.follows !== 'part') this.#announceOther()
    if (recorded) this.#take(recorded, other)
  }

  end(): ReplayStatus {
    const { at } = this.#words
    if (this.#messages === 0) throw new Error('no message of a recording is in it')
    if (at !== undefined && !this.#isShown) this.#showMoment(at)
    const sums = `${counted(this.#messages, 'message')}, ${counted(this.#decisions, 'decision')}`
    if (this.#other)
      this.#write([this.#differing === 0 ? `${sums}: with these settings every decision is the same` : sums])
    else if (this.#differing === 0) this.#write([`${sums}: every decision is as recorded`])
    else this.#write([`${sums}: ${this.#differing} not as recorded, since this version decides otherwise`])
    return this.#other || this.#differing === 0 ? 0 : 3
  }

  #begin({ format, version, cluster, at, zone, follows, missing, part }: HeadLine): void {
    if (format !== RECORDING_FORMAT)
      throw new Error(
        `a recording of format ${format}, by version ${version}; this version replays format ${RECORDING_FORMAT}`,
      )
    process.env.TZ = zone // what is decided by the hour of the day is decided by theirs
    if (follows === 'part' && part > 0 && this.#messages > 0) return
    this.#isOver = false
    const why = { part: 'begins', start: 'the manager started', gap: `${counted(missing, 'message')} missing before` }
    const by = version === packageVersion ? '' : `, recorded by version ${version}`
    this.#write([`${isoTime(at)}  recording of ${cluster}: ${why[follows]}${by}`])
  }

  #announceOther(): void {
    const names = Object.keys(this.#words.other)
    const [recorded, other] = [this.#recorded.state, this.#other?.state]
    if (recorded && other)
      this.#write([`  with ${renderSettings(other, names)} in place of ${renderSettings(recorded, names)}`])
  }

  #take(recorded: ReplayedStep, other: ReplayedStep | undefined): void {
    this.#messages += 1
    this.#decisions += recorded.decided.length
    this.#lastAt = recorded.line.at
    const { from = 0, until = Number.POSITIVE_INFINITY, at } = this.#words
    const isWithin = recorded.line.at >= from && recorded.line.at <= until && at === undefined
    if (this.#other) {
      if (!other || !isDifferent(recorded, other)) return
      this.#isOver = true
      this.#differing += 1
      if (isWithin) this.#write(renderDifference(recorded, other))
      return
    }
    if (isWithin) this.#write(renderStep(recorded))
    if (isAsRecorded(recorded)) return
    this.#differing += 1
    const { line, decided, state } = recorded
    const [then, now] = [line.decided ?? [], decided].map((texts) => renderDecided(texts, state))
    this.#write([
      `${isoTime(line.at)}  not as recorded, at the message ${line.message}: ${then} was recorded, ${now} is decided now`,
    ])
  }

  #showMoment(at: number): void {
    this.#isShown = true
    const state = this.#recorded.state
    if (!state) throw new Error(`the recording begins after ${isoTime(at)}`)
    this.#write([`as of ${isoTime(Math.min(at, this.#lastAt))}`, ...renderMoment(state)])
    const other = this.#isOver ? undefined : this.#other?.state
    if (other) this.#write(['with these settings', ...renderMoment(other)])
    if (this.#other && this.#isOver)
      this.#write(['with these settings: decisions differed before, so that nothing can be said'])
  }
}
