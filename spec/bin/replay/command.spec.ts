import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { runReplay } from '../../../bin/replay/command.js'
import { readReplayWords } from '../../../bin/replay/words.js'
import { unwrap } from '../../../lib/base/result.js'
import { isoTime } from '../../../lib/base/time.js'
import { type RecordingLine, readRecording, renderRecordingLine } from '../../../lib/store/index.js'
import { newDirectory } from '../../support/machine/directories.js'
import { World } from '../../support/simulator/cluster.js'
import { RecordedManager } from '../../support/simulator/recorded.js'

/** Three servers whose primary is killed. */
async function recordedFailover(): Promise<{ readonly file: string; readonly diedAt: number }> {
  const directory = newDirectory('replay')
  const manager = new RecordedManager(new World({ servers: 3, semiSync: true }), directory)
  manager.begin()
  manager.ticks(10)
  manager.world.kill(1)
  const diedAt = manager.world.now
  manager.ticks(30)
  const file = path.join(directory, 'recording.jsonl.gz')
  writeFileSync(file, unwrap(await manager.recorder.read({})))
  return { file, diedAt }
}

async function run(...words: readonly string[]) {
  let out = ''
  const status = await runReplay(words, (text) => {
    out += text
  })
  return { status, out }
}

describe('runReplay', () => {
  let file: string
  let diedAt: number
  before(async () => {
    ;({ file, diedAt } = await recordedFailover())
  })

  it('prints the decision with its evidence, and that everything was decided as recorded', async () => {
    const { status, out } = await run(file)
    expect(out).to.match(/DECISION: failover from db1 to db[23], asked by manager/)
    expect(out).to.match(/ {2}evidence: \w+; db1 is .*\n {2}rule /)
    expect(out).to.match(/every decision is as recorded\n$/)
    expect(status).to.equal(0)
  })

  it('prints only what lies between two times', async () => {
    const { out } = await run(file, '--until', isoTime(diedAt))
    expect(out).not.to.include('DECISION: failover')
    expect((await run(file, `--from=${isoTime(diedAt)}`)).out).to.include('DECISION: failover')
  })

  it('shows that other settings would have decided nothing, and how far the answer goes', async () => {
    const { status, out } = await run(file, '--set', 'failover-mode=manual')
    expect(out).to.match(/ {2}as recorded: failover db1 > db[23]/)
    expect(out).to.include('  with these settings: nothing\n')
    expect(out).to.match(/ {2}rule failover-mode: closed/)
    expect(out).to.include('no answer can be given beyond this moment')
    expect(status).to.equal(0)
  })

  it('says where settings change no decision', async () => {
    const { out } = await run(file, '--set=timeline-keep=7')
    expect(out).to.match(/with these settings every decision is the same\n$/)
  })

  it('shows everything that was known at a moment', async () => {
    const { out } = await run(file, '--at', `${diedAt}`)
    expect(out.match(/^ {2}server .*$/gm)).to.have.length(3)
    expect(out).to.match(/ {2}server db1: Master, answered, writable/)
  })

  it('ends with 3 and names the message at which this version decides otherwise than recorded', async () => {
    const lines: RecordingLine[] = []
    for await (const line of readRecording(file)) lines.push(line)
    const changed = lines.map((line) => {
      if (line.type === 'head' || !line.decided) return line
      return { ...line, decided: ['failover db1 > db9'] }
    })
    const other = path.join(newDirectory('replay'), 'other.jsonl')
    writeFileSync(other, changed.map(renderRecordingLine).join(''))
    const { status, out } = await run(other)
    expect(status).to.equal(3)
    expect(out).to.match(/not as recorded, at the message \w+: failover db1 > db9 was recorded, failover db1 > /)
  })

  it('refuses a recording of another format, and a file that is none', async () => {
    const place = newDirectory('replay')
    const [future, none] = [path.join(place, 'future'), path.join(place, 'none')]
    for await (const line of readRecording(file)) {
      if (line.type === 'head') writeFileSync(future, renderRecordingLine({ ...line, format: 9 }))
      break
    }
    writeFileSync(none, 'no recording\n')
    for (const each of [future, none]) expect((await run(each)).status).to.equal(1)
  })
})

describe('readReplayWords', () => {
  const failure = (...words: readonly string[]) => {
    const read = readReplayWords(words)
    return read.ok ? 'none' : `${read.failure.code}: ${read.failure.message.split('\n')[0]}`
  }

  it('takes settings as a configuration file does', () => {
    const { other, at } = unwrap(readReplayWords(['f', '--set', 'failover-limit=7', '--at', '2026-11-26T02:10:00Z']))
    expect([other, at]).to.deep.equal([{ 'failover-limit': 7 }, Date.parse('2026-11-26T02:10:00Z')])
  })

  it('names what is wrong', () => {
    expect(failure()).to.equal('bad-request: a file is missing')
    expect(failure('a', 'b')).to.equal('bad-request: one file at a time: b')
    expect(failure('f', '--set')).to.equal('bad-request: a value is missing after --set')
    expect(failure('f', '--sets=1')).to.equal('bad-request: unknown --sets=1')
    expect(failure('f', '--at', 'noon')).to.equal('bad-request: --at noon is no time')
    expect(failure('f', '--at', '2026-02-30T00:00Z')).to.equal('bad-request: --at 2026-02-30T00:00Z is no time')
    expect(failure('f', '--set', 'failover-mod=manual')).to.match(/^unknown-setting: .*did you mean failover-mode\?$/)
    expect(failure('f', '--set', 'failover-limit=many')).to.match(/^wrong-value: --set failover-limit: .*allowed: /)
    expect(failure('f', '--set', 'vault-token=x')).to.match(/^wrong-value: .*a recording has no secrets/)
  })
})
