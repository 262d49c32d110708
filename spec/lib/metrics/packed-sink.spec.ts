// The packed exposition: whatever the frames hold, what comes out of it is the plain text, to the byte.
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { openFrame, type Sample } from '../../../lib/metrics/frame-writer.js'
import { type ExpositionForm, stitch } from '../../../lib/metrics/stitch.js'

type Samples = readonly (readonly [family: string, sample: Sample])[]

function frameOf(samples: Samples): Buffer {
  const frame = openFrame()
  for (const [family, sample] of samples) frame.add(family, sample)
  return frame.encode()
}

async function expose(frames: readonly Buffer[], form: ExpositionForm, own: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stitch(frames, { own, form })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The packed bytes; fails when they are not those of the plain text. */
async function compare(frames: readonly Buffer[], own = 'manager_up 1\n'): Promise<Buffer> {
  const [plain, packed] = [await expose(frames, 'plain', own), await expose(frames, 'gzip', own)]
  const unpacked = gunzipSync(packed) // checks length and checksum, too
  const differs = unpacked.findIndex((byte, index) => byte !== plain[index])
  expect([unpacked.length, differs]).to.deep.equal([plain.length, -1])
  return packed
}

/** The same numbers for the same seed (Numerical Recipes' generator): a failure can be repeated. */
function createDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % sides
  }
}

const fleet = (clusters: number, servers: number, families: number): readonly Buffer[] =>
  Array.from({ length: clusters }, (_, cluster) =>
    frameOf(
      Array.from({ length: servers * families }, (_, index) => [
        `mysql_global_status_f${Math.floor(index / servers)}`,
        { labels: { instance: `db${index % servers}`, cluster: `c${cluster}` }, value: cluster * 1_009 + index },
      ]),
    ),
  )

describe('PackedSink', () => {
  it('packs nothing at all as an empty text', async () => {
    expect(gunzipSync(await expose([], 'gzip', ''))).to.have.lengthOf(0)
  })

  it('packs a fleet whose families are wider than the window, and small ones', async () => {
    for (const [clusters, servers, families] of [
      [1, 3, 400],
      [40, 3, 60],
      [600, 4, 3],
    ] as const) {
      const frames = fleet(clusters, servers, families)
      const packed = await compare(frames)
      expect(packed.length).to.be.lessThan((await expose(frames, 'plain', '')).length / 3)
    }
  })

  it('packs a single server', () => compare(fleet(1, 1, 3)))

  it('packs histograms, whose series take turns', async () => {
    const frames = Array.from({ length: 30 }, (_, cluster) => {
      const series = ['_bucket', '_bucket', '_bucket', '_sum', '_count'].map((suffix, index): Samples[number] => [
        'manager_probe_seconds',
        {
          labels: { cluster: `c${cluster}`, ...(suffix === '_bucket' ? { le: `${index}` } : {}) },
          suffix,
          value: index,
        },
      ])
      return frameOf([...series, ['manager_cluster_up', { labels: {}, value: 1 }]])
    })
    await compare(frames)
  })

  it('packs labels in any script, of any length, beyond what one reference or the window spans', async () => {
    for (const length of [0, 1, 2, 3, 255, 256, 257, 258, 259, 260, 515, 516, 517, 518, 519, 33_000, 70_000]) {
      const labels = (end: string) => ({ cluster: `größe-数"\\\n${'x'.repeat(length)}${end}` })
      await compare(
        ['a', 'a', 'b', 'bb'].map((end) =>
          frameOf(['one', 'two', 'x'].map((family) => [family, { labels: labels(end), value: `${length}` }])),
        ),
      )
    }
  })

  it('packs own text that is long, that does not end its line, and that holds other letters', async () => {
    const frames = fleet(2, 2, 2)
    await compare(frames, '')
    await compare(frames, 'manager_up 1')
    await compare(frames, '# HELP größe 数.\n'.repeat(5_000))
    await compare(frames, `# HELP x ${'y'.repeat(40_000)}\n`)
  })

  it('packs what dice throw together', async () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const roll = createDice(seed)
      const word = () => Array.from({ length: roll(12) }, () => 'abcé"\\{},= 0'[roll(12)]).join('')
      const values = ['0', '1', '-1.5e+300', 'NaN', '+Inf', `${roll(1_000_000_000)}`, '0.00001']
      const frames = Array.from({ length: 1 + roll(12) }, () =>
        frameOf(
          Array.from({ length: roll(60) }, () => [
            `family_${'abcdefgh'[roll(8)]}`,
            {
              labels: {
                ...(roll(3) > 0 ? { instance: `db${roll(20)}` } : {}),
                ...(roll(3) > 0 ? { cluster: word() } : {}),
              },
              value: values[roll(values.length)] ?? 0,
              ...(roll(4) === 0 ? { suffix: ['_bucket', '_sum', '_count'][roll(3)] ?? '' } : {}),
            },
          ]),
        ),
      )
      await compare(frames)
    }
  })

  it('reads what is no frame, or cut short, as the plain form does', async () => {
    const [whole] = fleet(1, 3, 5) as [Buffer]
    for (let cut = 0; cut < whole.length; cut += 7) await compare([whole.subarray(0, cut), whole])
    await compare([Buffer.from('frame 2 1\n{a="b"}\n!x 1 2\t7=3\t0=\t0\t\n~y \n 1\nz\n!!\t_sum0=4'), whole])
    await compare([Buffer.from([...Buffer.from('frame 2 1\n{a="b"}\n!x '), 128, 227, 228, 255, 10]), whole])
  })

  it('packs two scrapes at a time', async () => {
    const frames = fleet(50, 3, 20)
    const [first, second] = await Promise.all([expose(frames, 'gzip', ''), expose(frames, 'gzip', '')])
    expect(first.equals(second)).to.equal(true)
    await compare(frames)
  })
})
