// Replays stored binary logs on a server: the binary log tool's output into a client, outside of this process.

import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, type Result } from '../../base/result.js'
import type { Flavour } from '../../model/server/version.js'
import { anyOrder } from '../binlog/any-order.js'
import { startTransfer } from '../stream/index.js'
import type { ReplayPlan, ReplaySegment } from './chain.js'

export interface Tools {
  /** `mariadb-binlog` or `mysqlbinlog`. */
  readonly binlog: string
  /** `mariadb` or `mysql`. */
  readonly client: string
  readonly dump: string
  readonly myloader: string
}

export interface Replaying {
  readonly plan: ReplayPlan
  /** Of the server that wrote the logs. */
  readonly flavour: Flavour
  readonly tools: Tools
  /** Option file with which the client logs in. */
  readonly login: string
  /** For the unpacked files; removed afterwards. */
  readonly directory: string
  readonly deadlineMs: number
}

export interface RestoreRun {
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  readonly progress: (bytes: number) => void
}

/** The target must not log what it executes, or must have no replicas: nothing may be replicated from it. */
export async function replay(replaying: Replaying, run: RestoreRun): Promise<Result<void>> {
  const { plan, directory } = replaying
  await mkdir(directory, { recursive: true, mode: modeOf('scratch') })
  try {
    for (const segment of plan.segments) {
      const replayed = await replaySegment(segment, replaying, run)
      if (!replayed.ok) return replayed
    }
    return done
  } catch (error) {
    return fail('restore-failed', error instanceof Error ? error.message : String(error))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function replaySegment(segment: ReplaySegment, replaying: Replaying, run: RestoreRun): Promise<Result<void>> {
  const { term, from, to } = segment
  const { directory, tools, flavour, login, deadlineMs } = replaying
  const files: string[] = []
  for (const { name, path: stored } of segment.files) files.push(await unpack(stored, path.join(directory, name)))
  run.log(`replaying ${segment.files.map(({ name }) => name).join(', ')} of ${term} from offset ${from} to ${to}`)
  const replayed = await startTransfer(
    {
      source: {
        ...{ type: 'program', file: tools.binlog },
        args: [
          '--no-defaults',
          ...(flavour === 'mariadb' ? [anyOrder] : []),
          ...(from > 4 ? [`--start-position=${from}`] : []),
          `--stop-position=${to}`,
          ...files,
        ],
      },
      sink: {
        type: 'program',
        file: tools.client,
        args: [`--defaults-file=${login}`, '--binary-mode', '--init-command=SET sql_log_bin=0'],
      },
      deadlineMs,
    },
    {
      signal: run.signal,
      line: (program, line) => run.log(`${path.basename(program)}: ${line}`),
      progress: ({ rawBytes }) => run.progress(rawBytes),
    },
  ).done
  for (const file of files) await rm(file, { force: true })
  return replayed.ok ? done : replayed
}

/** Copies a stored file, without its compression. */
export async function unpack(stored: string, to: string): Promise<string> {
  if (!stored.endsWith('.gz')) await pipeline(createReadStream(stored), createWriteStream(to, { mode: modeOf('rows') }))
  else await pipeline(createReadStream(stored), createGunzip(), createWriteStream(to, { mode: modeOf('rows') }))
  return to
}
