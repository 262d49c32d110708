// Programs that end with the process that started them: real processes, ended by SIGKILL.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { eventually } from '../../../support/wait.js'

const module = (file: string) => JSON.stringify(new URL(`../../../../lib/connect/shell/${file}`, import.meta.url))

/** Starts what its first argument says, prints the pid of the program, and waits. */
const bound = `
import { spawn } from 'node:child_process'
import { bindProgram } from ${module('bound.js')}
const group = process.argv[1] === 'group'
const child = group
  ? spawn('/bin/sh', ['-c', 'sleep 600 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  : spawn('sleep', ['600'], { detached: true, stdio: ['ignore', 'ignore', 'ignore'] })
const release = bindProgram(child.pid, { group })
if (process.argv[1] === 'released') release()
if (group) child.stdout.pipe(process.stdout)
else console.log(child.pid)
setInterval(() => undefined, 1000)`

const program = `
import { runProgram } from ${module('program.js')}
void runProgram({ file: '/bin/sh', args: ['-c', 'echo $$; exec sleep 600'], timeoutMs: 600_000, bound: true,
  onLine: (line) => console.log(line) })`

describe('bindProgram', () => {
  const pids: number[] = []
  const starters: ChildProcess[] = []
  afterEach(() => {
    for (const starter of starters.splice(0)) starter.kill('SIGKILL')
    for (const pid of pids.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })

  const start = async (code: string, how = '') => {
    const starter = spawn(process.execPath, ['--input-type=module', '-e', code, how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    starters.push(starter)
    const pid = await new Promise<number>((resolve) => starter.stdout.once('data', (text) => resolve(Number(text))))
    pids.push(pid)
    expect(isAlive(pid), `process ${pid}`).to.equal(true)
    return { starter, pid }
  }

  it('ends a program in a session of its own when its starter is killed', async () => {
    const { starter, pid } = await start(bound)
    starter.kill('SIGKILL')
    await eventually(() => Promise.resolve(!isAlive(pid)), `process ${pid} has ended`)
  })

  it('ends what a program started as well, where it leads a group', async () => {
    const { starter, pid } = await start(bound, 'group')
    starter.kill('SIGKILL')
    await eventually(() => Promise.resolve(!isAlive(pid)), `process ${pid} has ended`)
  })

  it('leaves alone what was released', async () => {
    const { starter, pid } = await start(bound, 'released')
    const closed = new Promise((resolve) => starter.once('exit', resolve))
    const { starter: other, pid: witness } = await start(bound)
    starter.kill('SIGKILL')
    await closed
    other.kill('SIGKILL')
    await eventually(() => Promise.resolve(!isAlive(witness)), `process ${witness} has ended`)
    expect(isAlive(pid), 'the released one').to.equal(true)
  })

  it('is what runProgram does on request', async () => {
    const { starter, pid } = await start(program)
    starter.kill('SIGKILL')
    await eventually(() => Promise.resolve(!isAlive(pid)), `process ${pid} has ended`)
  })
})

/** A process that ended counts as gone although it has not been reaped yet. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
