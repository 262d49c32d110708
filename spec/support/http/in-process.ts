// Runs of the command line client inside the process of the specs, with an environment and streams for each run: as a
// child process does, without the price of starting one. One run at a time, since a process has one environment.
import { Readable, Writable } from 'node:stream'
import { Exit } from '../../../bin/cli/output/exit.js'
import { runClient } from '../../../bin/cli/run.js'

export interface Outcome {
  /** Exit status; null when a signal ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

let last: Promise<unknown> = Promise.resolve()

/** Waits for earlier runs, then runs the client with nothing to read and no terminal; never throws. */
export function runInProcess(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<Outcome> {
  const turn = last.then(() => run(words, environment))
  last = turn.catch(() => {})
  return turn
}

async function run(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<Outcome> {
  const stdout = new Kept()
  const stderr = new Kept()
  const left = new Promise<number>((resolve) => {
    leave = resolve
  })
  const restore = replace({ stdin: Readable.from([]), stdout, stderr, env: environment, exit })
  try {
    const status = await Promise.race([runClient(words), left])
    return { status, stdout: stdout.text, stderr: stderr.text }
  } finally {
    restore()
  }
}

let leave: (status: number) => void = () => {}

/** In place of `process.exit`: the run has ended; what called it goes no further. */
function exit(status = 0): never {
  leave(status)
  throw new Exit(status, '')
}

/** Puts other values in place of properties of the process, until the function it gives is called. */
function replace(values: Readonly<Record<string, unknown>>): () => void {
  const names = Object.keys(values)
  const before = names.map((name) => Object.getOwnPropertyDescriptor(process, name))
  for (const name of names)
    Object.defineProperty(process, name, { value: values[name], configurable: true, enumerable: true, writable: true })
  return () => {
    for (const [index, name] of names.entries()) Object.defineProperty(process, name, before[index] ?? {})
  }
}

/** A stream that keeps what is written to it. */
class Kept extends Writable {
  readonly #chunks: Buffer[] = []

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }
}
