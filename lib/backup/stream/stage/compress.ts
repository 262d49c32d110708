// Compression by programs that use several processors, or by zlib where no such program is installed.
import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { openProgram, type PipedProgram } from '../../../connect/shell/piped.js'
import { plainEnvironment } from '../../../connect/shell/program.js'
import type { Compression } from '../../../model/backup.js'

/** What bytes pass through: one stream, or a program. */
export interface Stage {
  readonly input: Writable
  readonly output: Readable
  readonly program?: PipedProgram
}

type OnLine = (program: string, line: string) => void

/** One processor is left to what the transfer does with the bytes before and after. */
const THREADS = Math.max(1, availableParallelism() - 1)

export function openCompression(compression: Compression, onLine: OnLine): Stage | undefined {
  if (compression === 'none') return undefined
  if (compression === 'zstd') return program('zstd', ['-q', '-c', '-3', `-T${THREADS}`], onLine)
  if (isInstalled('pigz')) return program('pigz', ['-c', '-p', String(THREADS)], onLine)
  return streamStage(createGzip())
}

export function openDecompression(compression: Compression, onLine: OnLine): Stage | undefined {
  if (compression === 'none') return undefined
  if (compression === 'zstd') return program('zstd', ['-q', '-d', '-c'], onLine)
  return streamStage(createGunzip())
}

/** The compression itself, or gzip, which needs no program, where zstd is not installed. */
export const possibleCompression = (wanted: Compression): Compression =>
  wanted === 'zstd' && !isInstalled('zstd') ? 'gzip' : wanted

export const streamStage = (stream: Duplex): Stage => ({ input: stream, output: stream })

function program(file: string, args: readonly string[], onLine: OnLine): Stage {
  const opened = openProgram({ file, args, output: 'pipe', onLine: (line) => onLine(file, line) })
  return { input: opened.stdin, output: opened.stdout, program: opened }
}

function isInstalled(name: string): boolean {
  return (plainEnvironment().PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
