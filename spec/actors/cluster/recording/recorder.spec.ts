import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type HandledMessage, Recorder } from '../../../../actors/cluster/recording/recorder.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import { unwrap } from '../../../../lib/base/result.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import { type HeadLine, type MessageLine, readRecording } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const state = initialState(
  { name: 'c1', directory: '/nowhere', settings: { 'db-servers-hosts': 'db1,db2' } },
  { memory: freshMemory, damage: [] },
  1_000,
)

const message = (now: number, more: Partial<HandledMessage> = {}): HandledMessage => ({
  ...{ type: 'tick', payload: { lostMs: 0 }, arrival: { now, since: now, reply: now }, before: state, ...more },
})

function recorderIn(directory: string, limit = 1_024 * 1_024) {
  const complaints: string[] = []
  const options = { directory, cluster: 'c1', limit: () => limit, complain: (text: string) => complaints.push(text) }
  return { recorder: new Recorder(options), complaints }
}

async function linesOf(recorder: Recorder, directory: string) {
  const file = path.join(directory, 'exported')
  writeFileSync(file, unwrap(await recorder.read({})))
  const [heads, messages]: [HeadLine[], MessageLine[]] = [[], []]
  for await (const line of readRecording(file)) line.type === 'head' ? heads.push(line) : messages.push(line)
  return { heads, messages }
}

describe('Recorder', () => {
  it('stores a payload as what differs from the one before about the same server', async () => {
    const directory = newDirectory('recorder')
    const { recorder } = recorderIn(directory)
    const seen = (server: string, at: number) => ({ reading: { server, at, tookMs: 1, observation: 'silent' } })
    for (const [server, at] of [
      ['db1', 1],
      ['db2', 1],
      ['db1', 2],
      ['db1', 2],
    ] as const)
      recorder.note(message(at, { type: 'observed', payload: seen(server, at) }))
    const { messages } = await linesOf(recorder, directory)
    expect(messages.map(({ about, change }) => [about, change])).to.deep.equal([
      ['db1', [seen('db1', 1)]],
      ['db2', [seen('db2', 1)]],
      ['db1', { reading: { at: [2] } }],
      ['db1', undefined],
    ])
  })

  it('leaves out what waits too long for the disk, counts it, complains once, and begins with a state again', async () => {
    const directory = newDirectory('recorder')
    const { recorder, complaints } = recorderIn(directory)
    for (let at = 1; at <= 2_500; at += 1) recorder.note(message(at))
    await recorder.flush()
    recorder.note(message(3_000))
    const { heads, messages } = await linesOf(recorder, directory)
    expect(heads.map(({ follows, missing, at }) => [follows, missing, at])).to.deep.equal([
      ['start', 0, 1],
      ['gap', 500, 3_000],
    ])
    expect(messages).to.have.length(2_001)
    expect(complaints).to.deep.equal([
      '500 messages were not recorded: the disk is too slow',
      'Messages are recorded again',
    ])
  })

  it('goes on when the directory can be written again, with the number of what is missing', async () => {
    const directory = newDirectory('recorder')
    const { recorder, complaints } = recorderIn(directory)
    rmSync(directory, { recursive: true })
    for (const at of [1, 2, 3]) {
      recorder.note(message(at))
      await recorder.flush()
    }
    expect(complaints).to.have.length(1)
    expect(complaints[0]).to.match(/^Messages are not recorded: ENOENT/)
    mkdirSync(directory)
    recorder.note(message(4))
    const { heads } = await linesOf(recorder, directory)
    expect(heads.map(({ follows, missing, at }) => [follows, missing, at])).to.deep.equal([['gap', 3, 4]])
    expect(complaints[1]).to.equal('Messages are recorded again')
  })

  it('keeps to its limit by removing the oldest parts', async () => {
    const directory = newDirectory('recorder')
    const { recorder } = recorderIn(directory, 40_000)
    const bytes = () => Array.from({ length: 300 }, () => Math.random().toString(36)).join('')
    for (let at = 1; at <= 1_500; at += 1) {
      recorder.note(message(at, { type: 'observed-outside', payload: { alive: true, detail: bytes() } }))
      if (at % 50 === 0) await recorder.flush()
    }
    const names = readdirSync(path.join(directory, 'recording'))
    expect(names.length).to.be.at.most(2)
    expect(names).not.to.include('00000001-1.jsonl.gz')
  })

  it('records the message whose handler threw, and nothing after its end', async () => {
    const directory = newDirectory('recorder')
    const { recorder } = recorderIn(directory)
    recorder.note(message(1, { threw: 'no such server' }))
    await recorder.close()
    recorder.note(message(2))
    const { messages } = await linesOf(recorder, directory)
    expect(messages.map(({ at, threw }) => [at, threw])).to.deep.equal([[1, 'no such server']])
  })
})
