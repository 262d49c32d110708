// Both ends of a transfer, opened: streams, and the programs behind them.
import type { Duplex, Readable, Writable } from 'node:stream'
import type { PipedProgram } from '../../../connect/shell/piped.js'

export interface OpenSource {
  readonly stream: Readable
  readonly program?: PipedProgram
}

export interface OpenSink {
  readonly stream: Writable
  /** What the bytes pass before it. */
  readonly before?: Duplex
  readonly program?: PipedProgram
  /** Settles when what was written has arrived: later than the end of the stream where the sink says so. */
  readonly arrived?: Promise<void>
}

export interface EndHooks {
  readonly signal: AbortSignal
  readonly line: (program: string, line: string) => void
  readonly listening: (port: number) => void
  readonly accepted: (address: string) => void
}
