import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { isAsRecorded, Replay, type ReplayedStep } from '../../../../actors/cluster/recording/replay.js'
import { unwrap } from '../../../../lib/base/result.js'
import { exportSettings } from '../../../../lib/settings/index.js'
import { type HeadLine, readRecording } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { cases } from '../../../support/run/soak.js'
import { World } from '../../../support/simulator/cluster.js'
import { RecordedManager, secrets } from '../../../support/simulator/recorded.js'

const SERVERS = 3

type Fault = (world: World, number: number) => void

/** What happens to one server for a while, and how it ends. */
const faults: Readonly<Record<string, readonly [begin: Fault, end: Fault]>> = {
  'is killed': [(world, number) => world.kill(number), (world, number) => world.start(number)],
  hangs: [(world, number) => world.hang(number), (world, number) => world.wake(number)],
  'is cut off': [(world, number) => world.cut(0, number), (world) => world.heal()],
  'is left alone': [() => undefined, () => undefined],
}

const event = fc.record({
  fault: fc.constantFrom(...Object.keys(faults)),
  server: fc.integer({ min: 1, max: SERVERS }),
  lasts: fc.integer({ min: 1, max: 25 }),
  writes: fc.integer({ min: 0, max: 4 }),
  asks: fc.constantFrom('nothing', 'switchover', 'maintenance', 'another mode', 'a gap'),
})
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

function play(manager: RecordedManager, { fault, server, lasts, writes, asks }: Event): void {
  const { world } = manager
  const [begin, end] = faults[fault] ?? []
  for (let write = 0; write < writes; write += 1) for (const number of world.writable()) world.write(number)
  begin?.(world, server)
  manager.ticks(lasts)
  end?.(world, server)
  manager.ticks(10)
  const { snapshot, settings } = manager.state
  if (asks === 'switchover') manager.send('switchover', { user: 'ann', wait: false })
  if (asks === 'maintenance')
    manager.send('set-maintenance', { user: 'ann', server: snapshot.servers[server - 1]?.id ?? '', mode: 'toggle' })
  if (asks === 'another mode') {
    const mode = settings['failover-mode'] === 'manual' ? 'automatic' : 'manual'
    manager.send('reconfigure', { settings: { ...exportSettings(settings), 'failover-mode': mode } })
  }
  manager.ticks(5)
}

/** What was recorded, as one file. */
async function exported(manager: RecordedManager, directory: string): Promise<string> {
  const file = path.join(directory, 'recording.jsonl.gz')
  writeFileSync(file, unwrap(await manager.recorder.read({})))
  return file
}

async function replayed(file: string, replay = new Replay()): Promise<readonly ReplayedStep[]> {
  const steps: ReplayedStep[] = []
  for await (const line of readRecording(file)) {
    const step = replay.feed(line)
    if (step) steps.push(step)
  }
  return steps
}

/** As JSON has it: what is undefined is missing. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const recordedRun = async (events: readonly Event[], directory: string): Promise<RecordedManager> => {
  const manager = new RecordedManager(new World({ servers: SERVERS, semiSync: true }), directory)
  manager.begin()
  for (const each of events) {
    play(manager, each)
    await manager.recorder.flush()
  }
  return manager
}

const calm: Event = { fault: 'is left alone', server: 1, lasts: 5, writes: 2, asks: 'nothing' }
const death: Event = { fault: 'is killed', server: 1, lasts: 30, writes: 2, asks: 'nothing' }

describe('Replay', () => {
  it('gives every command, reply and the last state of any run again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 4 }), async (events) => {
        const directory = newDirectory('replay')
        const manager = await recordedRun(events, directory)
        const replay = new Replay()
        const steps = await replayed(await exported(manager, directory), replay)
        expect(steps.map(({ line }) => line.message)).to.deep.equal(manager.originals.map(({ type }) => type))
        for (const [index, { commands, reply, line, ...step }] of steps.entries()) {
          const original = manager.originals[index]
          expect(plain({ commands, reply }), `${index}: ${line.message}`).to.deep.equal(
            plain({ commands: original?.commands, reply: original?.reply }),
          )
          expect(isAsRecorded({ commands, reply, line, ...step }), line.message).to.equal(true)
        }
        const comparable = ({ settings: _, log: _log, ...state }: object & { settings?: unknown; log?: unknown }) =>
          state
        expect(plain(comparable(replay.state ?? {}))).to.deep.equal(plain(comparable(manager.state)))
      }),
      { numRuns: cases({ commit: 3, soak: 200 }) },
    )
  })

  it('goes on from one part to the next with the state that the next one begins with', async () => {
    const directory = newDirectory('replay')
    const manager = await recordedRun([calm, death, calm, ...Array.from({ length: 45 }, () => calm)], directory)
    const replay = new Replay()
    const heads: HeadLine[] = []
    for await (const line of readRecording(await exported(manager, directory))) {
      if (line.type === 'head' && line.follows === 'part') {
        const { settings: _, log: _log, ...own } = replay.state ?? {}
        const { settings: _s, log: _l, ...recorded } = line.state as Record<string, unknown>
        expect(plain(own)).to.deep.equal(plain(recorded))
      }
      if (line.type === 'head') heads.push(line)
      replay.feed(line)
    }
    expect(heads.map(({ follows }) => follows).slice(0, 2)).to.deep.equal(['start', 'part'])
  })

  it('decides otherwise with other settings from the message on at which they matter', async () => {
    const directory = newDirectory('replay')
    const manager = await recordedRun([calm, death], directory)
    expect(manager.begun).to.include('failover')
    const file = await exported(manager, directory)
    const [recorded, manual] = [await replayed(file), await replayed(file, new Replay({ 'failover-mode': 'manual' }))]
    expect(recorded.every(isAsRecorded)).to.equal(true)
    const first = recorded.findIndex((step, index) => step.decided.join() !== manual[index]?.decided.join())
    expect(recorded[first]?.decided.join()).to.match(/^failover /)
    expect(manual[first]?.decided).to.deep.equal([])
    const closed = manual[first]?.state.verdict.rows.filter(({ state }) => state === 'closed').map(({ rule }) => rule)
    expect(closed).to.include('failover-mode')
  })

  it('begins with a state again after a gap, and says how many messages are missing', async () => {
    const directory = newDirectory('replay')
    const manager = await recordedRun([calm], directory)
    manager.record(false)
    manager.ticks(5)
    manager.record(true)
    manager.tick()
    await manager.recorder.flush()
    play(manager, death)
    const heads: HeadLine[] = []
    const replay = new Replay()
    const steps: ReplayedStep[] = []
    for await (const line of readRecording(await exported(manager, directory))) {
      if (line.type === 'head') heads.push(line)
      const step = replay.feed(line)
      if (step) steps.push(step)
    }
    expect(heads.map(({ follows }) => follows)).to.deep.equal(['start', 'gap'])
    expect(steps.every(isAsRecorded)).to.equal(true)
    expect(steps.flatMap(({ decided }) => decided).join()).to.include('failover ')
  })
})

describe('the recording of a cluster', () => {
  it('has no password of its settings, and the same stand-in wherever the same one stood', async () => {
    const directory = newDirectory('replay')
    const manager = await recordedRun([calm, { ...calm, asks: 'another mode' }], directory)
    const message = `Access denied with ${secrets[0]}, IDENTIFIED BY 'other-secret'`
    const server = manager.state.snapshot.servers[1]?.id ?? ''
    const error = { code: 'sql-refused', message }
    manager.send('observed', { reading: { server, at: manager.world.now, tookMs: 1, observation: 'rejected', error } })
    manager.send('noted', { level: 'WARN', text: 'a line with row-of-a-user' })
    await manager.recorder.flush()
    const folder = path.join(directory, 'recording')
    const text = readdirSync(folder)
      .map((name) => readFileSync(path.join(folder, name)))
      .map((bytes) => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString())
      .join('')
    for (const each of [...secrets, 'other-secret', 'row-of-a-user']) expect(text).not.to.include(each)
    expect(text).to.match(/"db-servers-credential":"monitor:withheld-[0-9a-f]{12}"/)
    expect(text).to.match(/Access denied with withheld-[0-9a-f]{12}/)
  })
})
