import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { type ProgramRequest, runProgram } from '../../../../lib/connect/shell/program.js'
import { alarm } from '../../../support/machine/alarm.js'
import { newDirectory } from '../../../support/machine/directories.js'
import '../../../support/run/programs.js'
import { eventually } from '../../../support/wait.js'

const sh = (script: string, more: Partial<ProgramRequest> = {}) =>
  runProgram({ file: '/bin/sh', args: ['-c', script], timeoutMs: 60_000, ...more })

/** A process that ended counts as gone although it has not been reaped yet. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('runProgram', () => {
  it('passes arguments unchanged, whatever they contain', async () => {
    const lines: string[] = []
    const args = ['a b', '$(touch /tmp/never)', ';exit 3', "it's", '--x=*']
    unwrap(
      await runProgram({
        file: '/usr/bin/printf',
        args: ['%s\n', ...args],
        timeoutMs: 60_000,
        onLine: (line) => lines.push(line),
      }),
    )
    expect(lines).to.deep.equal(args)
  })

  it('gives a program only the specified environment', async () => {
    process.env.MANAGER_SPEC_SECRET = 'hidden'
    const lines: string[] = []
    unwrap(await sh('env', { onLine: (line) => lines.push(line) }))
    delete process.env.MANAGER_SPEC_SECRET
    expect(lines.join('\n'))
      .to.match(/^PATH=/m)
      .and.not.match(/SECRET/)
  })

  it('fails with the status and the last line', async () => {
    const result = await sh('echo first; echo "cannot do it" >&2; exit 4')
    expect(result).to.have.nested.property('failure.code', 'script-failed')
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/status 4: cannot do it$/)
  })

  it('fails for a program that is not there', async () => {
    const result = await runProgram({ file: '/nowhere/x', args: [], timeoutMs: 1_000 })
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/ENOENT/)
  })

  it('fails for an invalid argument', async () => {
    const result = await runProgram({ file: '/bin/true', args: ['a\0b'], timeoutMs: 1_000 })
    expect(result).to.have.nested.property('failure.code', 'script-failed')
  })

  it('ends the whole group at the deadline, also processes that ignore SIGTERM', async () => {
    const file = path.join(newDirectory('shell'), 'stubborn')
    await writeFile(file, '#!/bin/sh\ntrap "" TERM\nsleep 60 &\necho $!\necho $$\nwait\nsleep 60\n', { mode: 0o755 })
    const pids: number[] = []
    const { timer, ring } = alarm()
    const result = await runProgram({
      file,
      args: [],
      timeoutMs: 60_000,
      graceMs: 200,
      timer,
      onLine: (line) => {
        if (pids.push(Number(line)) === 2) ring(60_000)
      },
    })
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/not done within 60000 ms/)
    expect(pids).to.have.length(2)
    await eventually(() => !pids.some(isAlive), 'both have ended')
  })

  it('does not wait for processes that a program leaves running', async () => {
    const pids: number[] = []
    unwrap(await sh('sleep 30 & echo $!', { onLine: (line) => pids.push(Number(line)) }))
    for (const pid of pids) process.kill(pid)
    expect(pids).to.have.length(1)
  })

  it('ends when the operation ends', async () => {
    const ending = new AbortController()
    const result = await sh('echo started; sleep 30', { signal: ending.signal, onLine: () => ending.abort() })
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/ended with the operation/)
  })

  it('bounds the output of a verbose program', async () => {
    const lines: string[] = []
    unwrap(await sh('yes | head -n 5000', { maxLines: 10, onLine: (line) => lines.push(line) }))
    expect(lines).to.have.length(11)
    expect(lines.at(-1)).to.match(/not logged/)
  })
})
