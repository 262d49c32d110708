// Runs the binary log tool on local files and yields decoded events: the tool is a child process, its output is read as it comes.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fail, ok, type Result } from '../../base/result.js'
import { keepOutput } from '../../connect/shell/kept-output.js'
import { plainEnvironment } from '../../connect/shell/program.js'
import type { Flavour } from '../../model/server/version.js'
import { anyOrder } from './any-order.js'
import { Decoder, decodeOptions } from './decoded.js'
import type { LogEvent } from './event.js'

export interface LogRequest {
  readonly flavour: Flavour
  /** Program and leading arguments: `['mariadb-binlog']`. */
  readonly program: readonly string[]
  /** Files of a binary log, in order: paths, or names on the server of `login`. */
  readonly files: readonly string[]
  /** Option file of a login: the tool reads from that server. */
  readonly login?: string
  /** Options that limit what is read: `--start-position=4`. */
  readonly options?: readonly string[]
  /** Ends the tool; the events then end with `script-failed`. */
  readonly signal: AbortSignal
}

export interface LogReading {
  /** Events as they are decoded; not reading them stops the tool from going on. */
  readonly events: AsyncIterable<LogEvent>
  /** Whether all of it was read; resolves when the events have ended. */
  readonly done: Promise<Result<void>>
}

const LAST_BYTES = 2_000

/** Starts the tool. Read `done` after the events: an error ends them early. */
export function readLog({ flavour, program, files, login, options = [], signal }: LogRequest): LogReading {
  const [file = '', ...leading] = program
  const inAnyOrder = flavour === 'mariadb' ? [anyOrder] : []
  const from = login === undefined ? ['--no-defaults'] : [`--defaults-file=${login}`, '--read-from-remote-server']
  const args = [...leading, ...from, ...inAnyOrder, ...decodeOptions, ...options, ...files]
  const child = spawn(file, args, {
    env: { ...plainEnvironment(), TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    said = `${said}${piece.toString()}`.slice(-LAST_BYTES)
  })
  const end = () => child.kill('SIGKILL')
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  const done = new Promise<Result<void>>((resolve) => {
    const settle = (result: Result<void>) => {
      signal.removeEventListener('abort', end)
      resolve(result)
    }
    child.once('error', (error) => settle(fail('script-failed', `${file}: ${error.message}`)))
    child.once('close', (code, by) => {
      const names = files.map((each) => path.basename(each)).join(', ')
      const words = said.trim().split('\n').at(-1) ?? ''
      settle(
        code === 0 ? ok(undefined) : fail('script-failed', `${file} of ${names}: ${by ?? `status ${code}`}: ${words}`),
      )
    })
  })
  const decoder = new Decoder({ flavour, files: files.map((each) => path.basename(each)) })
  const output = keepOutput(child.stdout).setEncoding('latin1')
  async function* events(): AsyncGenerator<LogEvent> {
    try {
      for await (const line of createInterface({ input: output, crlfDelay: 0 })) yield* decoder.take(line)
      yield* decoder.end()
    } finally {
      end()
    }
  }
  return { events: events(), done }
}
