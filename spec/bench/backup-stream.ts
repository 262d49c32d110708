// What a transfer costs at most: bytes as fast as `cat` reads them, beside the same programs in a bare pipe to the same directory. The
// transfer takes checksums and compares them, which the pipe does not; a dump tool is slower than either.
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ensureKeys, type StoredEnd, startTransfer, type TransferSpec } from '../../lib/backup/stream/index.js'
import { unwrap } from '../../lib/base/result.js'
import { MINUTE, now, SECOND } from '../../lib/base/time.js'
import { runProgram } from '../../lib/connect/shell/program.js'
import { newDirectory } from '../support/machine/directories.js'
import { cpuOfFamily } from './measure.js'
import { type BenchRow, judgeRow } from './row.js'

const MB = 1_000_000
/** Of the dump that is moved; about three times as much as it has when compressed. */
const BYTES = 600 * MB
/** Each is measured so often, both ways in turns; the best of each counts. */
const ROUNDS = 3

interface Case {
  readonly name: string
  readonly stored: Partial<StoredEnd>
  /** The bare programs: from `dump` to `out`, and back. */
  readonly store: string
  readonly restore: string
}

export async function benchBackupStream(): Promise<readonly BenchRow[]> {
  const root = newDirectory('backup-stream')
  const keyFile = path.join(root, 'keys')
  unwrap(await ensureKeys(keyFile, now()))
  await writeFile(path.join(root, 'dump'), dumpLike())
  const age = { encryption: { keyFile } }
  const cases: readonly Case[] = [
    { name: 'plain', stored: {}, store: 'cat dump > out', restore: 'cat out > /dev/null' },
    {
      name: 'zstd',
      stored: { compression: 'zstd' },
      store: 'cat dump | zstd -q -3 -c > out',
      restore: 'zstd -q -d -c out > /dev/null',
    },
    {
      ...{ name: 'zstd, age', stored: { compression: 'zstd', ...age } },
      store: 'cat dump | zstd -q -3 -c | age -e -i keys > out',
      restore: 'age -d -i keys out | zstd -q -d -c > /dev/null',
    },
  ]
  const rows: BenchRow[] = []
  for (const each of cases) rows.push(...(await benchCase(root, each)))
  await rm(root, { recursive: true, force: true })
  return rows
}

async function benchCase(root: string, { name, stored, store, restore }: Case): Promise<readonly BenchRow[]> {
  const end: StoredEnd = {
    type: 'stored',
    place: { kind: 'directory', root },
    path: 'copy',
    compression: 'none',
    ...stored,
  }
  const best = { store: 0, bareStore: 0, restore: 0, bareRestore: 0 }
  const cpu = { store: Infinity, bareStore: Infinity, restore: Infinity, bareRestore: Infinity }
  const keep = async (key: keyof typeof best, work: () => Promise<void>) => {
    const [startedAt, used] = [now(), cpuOfFamily(process.pid)]
    await work()
    cpu[key] = Math.min(cpu[key], (cpuOfFamily(process.pid) - used) / SECOND)
    best[key] = Math.max(best[key], BYTES / MB / ((now() - startedAt) / SECOND))
  }
  const source = { type: 'program', file: 'cat', args: [path.join(root, 'dump')] } as const
  for (let round = 0; round < ROUNDS; round += 1) {
    await keep('bareStore', () => bare(root, `${store} && sync out`))
    await keep('store', () => transfer({ source, sink: end, deadlineMs: 10 * MINUTE }))
    await keep('bareRestore', () => bare(root, restore))
    await keep('restore', () => transfer({ source: end, sink: { type: 'discard' }, deadlineMs: 10 * MINUTE }))
  }
  const row = (what: string, value: number, floor: number) =>
    judgeRow({ name: `${what}, ${name}`, value, unit: 'MB/s', floor })
  const cost = (what: string, value: number, floor: number) =>
    judgeRow({ name: `processor of a ${what} of ${BYTES / MB} MB, ${name}`, value, unit: 's', floor })
  return [
    row('backup', best.store, best.bareStore),
    cost('backup', cpu.store, cpu.bareStore),
    row('restore', best.restore, best.bareRestore),
    cost('restore', cpu.restore, cpu.bareRestore),
  ]
}

async function transfer(spec: TransferSpec): Promise<void> {
  unwrap(await startTransfer(spec, { signal: new AbortController().signal }).done)
}

async function bare(root: string, line: string): Promise<void> {
  // The process of a transfer has this priority.
  const args = ['-n', '10', '/bin/bash', '-o', 'pipefail', '-c', line]
  unwrap(await runProgram({ file: 'nice', args, cwd: root, timeoutMs: 10 * MINUTE }))
}

/** Text and random bytes, as rows with names and numbers have them. */
function dumpLike(): Buffer {
  const row = Buffer.from(`(1234567,'a name of some length','2026-11-23 18:00:00',${'x'.repeat(20)}),`)
  const part = Buffer.concat(Array.from({ length: 8_000 }, () => [row, randomBytes(32)]).flat())
  return Buffer.concat(Array.from({ length: Math.ceil(BYTES / part.length) }, () => part)).subarray(0, BYTES)
}
