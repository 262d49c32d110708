import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type {
  StoredEnd,
  Transfer,
  TransferHooks,
  TransferSink,
  TransferSource,
  TransferSpec,
} from '../../../../lib/backup/stream/index.js'
import { startTransfer } from '../../../../lib/backup/stream/index.js'
import { addKey, ensureKeys } from '../../../../lib/backup/stream/keys.js'
import { unwrap } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { MINUTE, now } from '../../../../lib/base/time.js'
import { runProgram } from '../../../../lib/connect/shell/program.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const bytes = Buffer.concat([randomBytes(3_000_000), Buffer.alloc(2_000_000, 'row of a dump\n'), randomBytes(77)])
const sha256 = (value: Buffer) => createHash('sha256').update(value).digest('hex')

describe('startTransfer', () => {
  for (const compression of ['none', 'gzip', 'zstd'] as const)
    for (const isEncrypted of [false, true])
      it(`stores and restores a stream: ${compression}${isEncrypted ? ', encrypted' : ''}`, async () => {
        const bench = await newBench()
        const stored = bench.stored('copy', { compression, ...(isEncrypted ? { encryption: bench.encryption } : {}) })
        const written = unwrap(await bench.run(bench.fileSource, stored))
        expect(written.rawBytes).to.equal(bytes.length)
        const kept = await readFile(path.join(bench.root, 'copy'))
        expect(written).to.include({ storedBytes: kept.length, checksum: sha256(kept) })
        expect(written.head.slice(0, 9)).to.equal(bytes.subarray(0, 16_384).toString('utf8').slice(0, 9))
        const { checksum, chunks } = written
        const target = path.join(bench.root, 'target')
        const sink = { type: 'program', file: 'dd', args: [`of=${target}`, 'status=none'] } as const
        unwrap(await bench.run({ ...stored, checksum, chunks }, sink))
        expect(sha256(await readFile(target))).to.equal(sha256(bytes))
      })

  it('writes what the programs age and zstd read without the manager', async () => {
    const bench = await newBench()
    const stored = bench.stored('copy', { compression: 'zstd', encryption: bench.encryption })
    unwrap(await bench.run(bench.fileSource, stored))
    const line = `age -d -i ${bench.encryption.keyFile} ${bench.root}/copy | zstd -d -c > ${bench.root}/plain`
    unwrap(await runProgram({ file: '/bin/bash', args: ['-o', 'pipefail', '-c', line], timeoutMs: MINUTE }))
    expect(sha256(await readFile(path.join(bench.root, 'plain')))).to.equal(sha256(bytes))
  })

  it('decrypts with an older key after the keys were rotated, and encrypts with the newest', async () => {
    const bench = await newBench()
    const older = bench.stored('older', { encryption: bench.encryption })
    const first = unwrap(await bench.run(bench.fileSource, older))
    const key = unwrap(await addKey(bench.encryption.keyFile, now()))
    const second = unwrap(await bench.run(bench.fileSource, bench.stored('newer', { encryption: bench.encryption })))
    expect(second.encryption).to.deep.equal({ format: 'age', key })
    expect(first.encryption?.key).to.not.equal(key)
    unwrap(await bench.run(older, bench.discard))
  })

  it('fails without a key that fits, and when the key file may be read by others', async () => {
    const bench = await newBench()
    const stored = bench.stored('copy', { encryption: bench.encryption })
    unwrap(await bench.run(bench.fileSource, stored))
    const other = path.join(bench.root, 'other-keys')
    unwrap(await ensureKeys(other, now()))
    const wrong = await bench.run({ ...stored, encryption: { keyFile: other } }, bench.discard)
    expect(wrong).to.nested.include({ ok: false, 'failure.code': 'no-key' })
    unwrap(await runProgram({ file: 'chmod', args: ['644', other], timeoutMs: MINUTE }))
    const open = await bench.run({ ...stored, encryption: { keyFile: other } }, bench.discard)
    expect(open).to.nested.include({ ok: false, 'failure.code': 'no-key' })
    expect(!open.ok && open.failure.message).to.contain('chmod 600')
  })

  it('fails where stored bytes are not those of the record', async () => {
    const bench = await newBench()
    const stored = bench.stored('copy', {})
    const { checksum, chunks } = unwrap(await bench.run(bench.fileSource, stored))
    await writeFile(
      path.join(bench.root, 'copy'),
      Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
    )
    expect(await bench.run({ ...stored, checksum, chunks }, bench.discard)).to.nested.include({
      'failure.code': 'checksum-differs',
    })
    await truncate(path.join(bench.root, 'copy'), 100)
    expect(await bench.run({ ...stored, checksum, chunks }, bench.discard)).to.nested.include({
      'failure.code': 'checksum-differs',
    })
  })

  it('stores nothing when the program fails after its last byte, and names its last line', async () => {
    const bench = await newBench()
    const source = sh('head -c 1000000 /dev/zero; echo "disk of the server failed" >&2; exit 3')
    const ended = await bench.run(source, bench.stored('copy', { compression: 'zstd' }))
    expect(ended).to.deep.equal({
      ok: false,
      failure: { code: 'transfer-failed', message: '/bin/sh: status 3: disk of the server failed' },
    })
    expect(await readdir(bench.root)).to.deep.equal(['keys'])
  })

  it('ends the source when the sink fails, and reports the sink', async () => {
    const bench = await newBench()
    const pidFile = path.join(bench.root, 'pid')
    const source = sh(`echo $$ > ${pidFile}; exec cat /dev/zero`)
    const ended = await bench.run(source, sh('head -c 100 > /dev/null; echo "no such table" >&2; exit 1'))
    expect(!ended.ok && ended.failure.message).to.equal('/bin/sh: status 1: no such table')
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).to.equal(false)
  })

  it('reports a place that cannot take the bytes', async () => {
    const bench = await newBench()
    await writeFile(path.join(bench.root, 'file'), '')
    const ended = await bench.run(bench.fileSource, bench.stored('file/copy', {}))
    expect(ended).to.nested.include({ ok: false, 'failure.code': 'place-failed' })
  })

  it('reports a program that is not installed', async () => {
    const bench = await newBench()
    const ended = await bench.run({ type: 'program', file: '/no/such/tool', args: [] }, bench.stored('copy', {}))
    expect(!ended.ok && ended.failure.message).to.contain('/no/such/tool')
  })

  it('ends all programs on request and leaves nothing', async () => {
    const bench = await newBench()
    const { transfer, pids, end } = await bench.endless()
    end.abort()
    const ended = await transfer.done
    expect(ended).to.nested.include({ ok: false, 'failure.message': 'ended on request' })
    expect(pids().map(isAlive)).to.deep.equal([false])
    expect((await readdir(bench.root)).sort()).to.deep.equal(['keys', 'pid'])
  })

  it('ends with its deadline, and when nothing moves', async () => {
    const bench = await newBench()
    const late = await bench.run(sh('cat /dev/zero'), bench.discard, { deadlineMs: 1_500, limit: 1_000_000 })
    expect(late).to.nested.include({ ok: false, 'failure.code': 'deadline-passed' })
    const stuck = await bench.run(sh('echo one; exec sleep 1000'), bench.discard, { stallMs: 1_500 })
    expect(stuck).to.nested.include({ ok: false, 'failure.code': 'transfer-stalled' })
  })

  it('ends its programs when the process that started it is killed', async () => {
    const bench = await newBench()
    const pidFile = path.join(bench.root, 'pid')
    const entry = new URL('../../../support/machine/transfer-parent.js', import.meta.url)
    const order: TransferSpec = {
      source: sh(`echo $$ > ${pidFile}; trap '' PIPE; while :; do echo line; sleep 0.05; done`),
      sink: bench.stored('copy', {}),
      deadlineMs: MINUTE,
    }
    const { fork } = await import('node:child_process')
    const parent = fork(entry)
    const pid = new Promise<number>((resolve) => parent.once('message', (given) => resolve(Number(given))))
    parent.send(order)
    const mover = await pid
    await eventually(() => pidIn(pidFile) > 0, 'the program runs')
    const program = pidIn(pidFile)
    expect([mover, program].map(isAlive)).to.deep.equal([true, true])
    parent.kill('SIGKILL')
    await eventually(() => ![mover, program].some(isAlive), 'both have ended')
    expect(existsSync(path.join(bench.root, 'copy'))).to.equal(false)
  })

  it('keeps to the limit, which can be changed while it runs', async () => {
    const bench = await newBench()
    const rates: number[] = []
    const end = new AbortController()
    const transfer = startTransfer(
      { source: sh('exec cat /dev/zero'), sink: bench.discard, deadlineMs: MINUTE, limit: 200_000 },
      {
        signal: end.signal,
        progress: ({ rate }) => {
          rates.push(rate)
          if (rates.length === 3) transfer.limit(undefined)
          // Rates of before may still be on their way.
          if (rates.length > 3 && rate > 4_000_000) end.abort()
        },
      },
    )
    expect(await transfer.done, `${rates}`).to.nested.include({ 'failure.message': 'ended on request' })
    // Bytes come in pieces of 64 KiB: one of them more or less a second.
    expect(Math.max(...rates.slice(0, 3))).to.be.lessThan(400_000)
  })

  it('takes a directory as a tar stream, and restores it only where nothing is in the way', async () => {
    const bench = await newBench()
    const from = path.join(bench.root, 'from')
    await mkdir(path.join(from, 'deep'), { recursive: true })
    await writeFile(path.join(from, 'deep/file'), bytes)
    const stored = bench.stored('tree.tar', { compression: 'zstd' })
    unwrap(await bench.run({ type: 'directory', path: from }, stored))
    const to = path.join(bench.root, 'to')
    unwrap(await bench.run(stored, { type: 'directory', path: to }))
    expect(sha256(await readFile(path.join(to, 'deep/file')))).to.equal(sha256(bytes))
    const again = await bench.run(stored, { type: 'directory', path: to })
    expect(!again.ok && again.failure.message).to.contain('is not empty')
  })

  it('keeps secrets out of arguments and gives programs those of their environment', async () => {
    const bench = await newBench()
    const source = {
      ...sh('echo "$DATABASE_PASSWORD"; cat; tr "\\0" " " < /proc/$PPID/cmdline'),
      env: { DATABASE_PASSWORD: secret('open sesame') },
      stdin: secret('second'),
    }
    const report = unwrap(await bench.run(source, bench.discard))
    expect(report.head).to.match(/^open sesame\nsecond/)
    expect(report.head.match(/open sesame/g)).to.have.length(1)
  })
})

const sh = (script: string) => ({ type: 'program', file: '/bin/sh', args: ['-c', script] }) as const

async function newBench() {
  const root = await newDirectory('transfer')
  const keys = path.join(root, 'keys')
  await mkdir(keys)
  const file = path.join(keys, 'bytes')
  await writeFile(file, bytes)
  const encryption = { keyFile: path.join(keys, 'backup-keys.txt') }
  unwrap(await ensureKeys(encryption.keyFile, now()))
  const discard = { type: 'program', file: 'dd', args: ['of=/dev/null', 'status=none'] } as const
  const run = (source: TransferSource, sink: TransferSink, more: Partial<TransferSpec> = {}) =>
    startTransfer({ source, sink, deadlineMs: MINUTE, ...more }, { signal: new AbortController().signal }).done
  const stored = (name: string, end: Partial<StoredEnd>): StoredEnd => ({
    ...{ type: 'stored', place: { kind: 'directory', root }, path: name, compression: 'none' },
    ...end,
  })
  const endless = async (hooks: Partial<TransferHooks> = {}) => {
    const end = new AbortController()
    const pidFile = path.join(root, 'pid')
    const source = sh(`echo $$ > ${pidFile}; while :; do echo line; sleep 0.05; done`)
    const spec = { source, sink: stored('copy', {}), deadlineMs: MINUTE }
    const transfer: Transfer = startTransfer(spec, { signal: end.signal, ...hooks })
    await eventually(() => pidIn(pidFile) > 0 && existsSync(path.join(root, 'copy.part')), 'it runs and is stored')
    return { transfer, end, pids: () => [pidIn(pidFile)] }
  }
  return { root, run, stored, endless, encryption, discard, fileSource: { ...sh(`exec cat ${file}`) } }
}

/** 0 until the program has written it: the file is there before its number. */
const pidIn = (file: string) => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0)

/** A process that ended counts as gone although it has not been reaped yet. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
