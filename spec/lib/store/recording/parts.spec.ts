import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import {
  appendToPart,
  joinParts,
  listParts,
  makeFolder,
  packPart,
  partsWithin,
  readRecording,
  renderRecordingLine,
  sweepParts,
} from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const MOST = 1_000_000

const line = (at: number) => renderRecordingLine({ type: 'message', at, message: 'tick', reply: 1 })

/** Parts that begin at 100, 200, 300, with three lines each. */
async function threeParts(): Promise<string> {
  const directory = newDirectory('parts')
  await makeFolder(directory)
  for (const number of [1, 2, 3]) {
    const at = number * 100
    for (const each of [at, at + 1, at + 2]) await appendToPart(directory, { number, at }, line(each))
  }
  return directory
}

const namesIn = (directory: string): readonly string[] => readdirSync(path.join(directory, 'recording')).sort()

async function timesIn(file: string): Promise<readonly number[]> {
  const times: number[] = []
  for await (const each of readRecording(file)) times.push(each.at)
  return times
}

describe('the parts of a recording', () => {
  it('are packed in place, and a packed one counts in place of what it was made of', async () => {
    const directory = await threeParts()
    const [first] = await listParts(directory)
    if (!first) throw new Error('there are three')
    const lines = readFileSync(first.file)
    unwrap(await packPart(first))
    expect(namesIn(directory)[0]).to.equal('00000001-100.jsonl.gz')
    expect(gunzipSync(readFileSync(`${first.file}.gz`)).equals(lines)).to.equal(true)
    writeFileSync(first.file, lines) // a manager was killed before it removed it
    expect((await listParts(directory)).map(({ number, packed }) => [number, packed])).to.deep.equal([
      [1, true],
      [2, false],
      [3, false],
    ])
  })

  it('are removed from the oldest on until they are few enough bytes, never the last', async () => {
    const directory = await threeParts()
    const [first] = await listParts(directory)
    await sweepParts(directory, (first?.bytes ?? 0) * 2)
    expect(namesIn(directory)).to.deep.equal(['00000002-200.jsonl', '00000003-300.jsonl'])
    await sweepParts(directory, 0)
    expect(namesIn(directory)).to.deep.equal(['00000003-300.jsonl'])
  })

  it('are chosen by the time that they reach into', async () => {
    const parts = await listParts(await threeParts())
    const within = (range: { from?: number; until?: number }) => partsWithin(parts, range).map(({ number }) => number)
    expect(within({})).to.deep.equal([1, 2, 3])
    expect(within({ from: 250 })).to.deep.equal([2, 3])
    expect(within({ until: 150 })).to.deep.equal([1])
    expect(within({ from: 150, until: 250 })).to.deep.equal([1, 2])
    expect(within({ until: 50 })).to.deep.equal([])
  })

  it('become one file, packed or not, which is refused when it would be too long', async () => {
    const directory = await threeParts()
    const before = await listParts(directory)
    unwrap(await packPart(before[0] as never))
    const parts = await listParts(directory)
    const file = path.join(directory, 'joined')
    writeFileSync(file, unwrap(await joinParts(parts, MOST)))
    expect(await timesIn(file)).to.deep.equal([100, 101, 102, 200, 201, 202, 300, 301, 302])
    const refused = await joinParts(parts, 10)
    expect(refused.ok ? '' : refused.failure.code).to.equal('bad-request')
  })
})

describe('readRecording', () => {
  it('reads lines and gzip, up to where a killed manager stopped writing', async () => {
    const file = path.join(newDirectory('parts'), 'recording')
    const lines = [1, 2, 3].map(line).join('')
    writeFileSync(file, lines.slice(0, -5))
    expect(await timesIn(file)).to.deep.equal([1, 2])
    writeFileSync(file, gzipSync(lines).subarray(0, -9))
    expect((await timesIn(file)).slice(0, 1)).to.deep.equal([1])
  })

  it('throws for a file that is damaged, and for one that is missing', async () => {
    const file = path.join(newDirectory('parts'), 'recording')
    const bytes = gzipSync(Array.from({ length: 500 }, (_, at) => line(at)).join(''))
    bytes.fill(0xff, 40, 80)
    writeFileSync(file, bytes)
    for (const each of [file, `${file}-missing`]) {
      let thrown: unknown
      await timesIn(each).catch((error: unknown) => {
        thrown = error
      })
      expect(thrown, each).to.be.an('error')
    }
  })
})
