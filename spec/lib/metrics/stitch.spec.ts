// Samples of many clusters and threads as one exposition.
import { spawnSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { labelText } from '../../../lib/metrics/labels.js'
import type { ClusterSamples } from '../../../lib/metrics/samples.js'
import { type PlacedSamples, renderSlices } from '../../../lib/metrics/slices.js'
import { type ExpositionForm, type SliceSource, stitch } from '../../../lib/metrics/stitch.js'
import { eventually } from '../../support/wait.js'

/** One server whose status has these families; each value is `value`. */
const cluster = (name: string, families: readonly string[], value = '1'): ClusterSamples => ({
  known: new Map(),
  servers: [
    {
      instance: name,
      labels: Buffer.from(labelText({ cluster: name })),
      status: {
        places: new Map(families.map((family, index) => [`mysql_global_status_${family}`, index])),
        values: families.map(() => value),
      },
      variables: { places: new Map(), values: [] },
    },
  ],
})

type Placed = readonly [place: number, samples: ClusterSamples]

/** Clusters by thread, each with its place. */
const threads = (...clusters: readonly (readonly Placed[])[]) =>
  clusters.map((own) => renderSlices(own.map(([place, samples]): PlacedSamples => ({ place, samples }))))

async function collect(sources: readonly SliceSource[], own = '', form: ExpositionForm = 'plain') {
  const pieces: Buffer[] = []
  for await (const piece of stitch(sources, { own, form })) pieces.push(piece)
  return pieces
}

const text = async (...clusters: readonly (readonly Placed[])[]): Promise<string> =>
  Buffer.concat(await collect(threads(...clusters))).toString()

describe('stitch', () => {
  const a = cluster('a', ['x', 'z'])
  const b = cluster('b', ['y', 'z'])
  const exposition = [
    '# HELP mysql_global_status_x x of SHOW GLOBAL STATUS.',
    '# TYPE mysql_global_status_x untyped',
    'mysql_global_status_x{cluster="a"} 1',
    '# HELP mysql_global_status_y y of SHOW GLOBAL STATUS.',
    '# TYPE mysql_global_status_y untyped',
    'mysql_global_status_y{cluster="b"} 1',
    '# HELP mysql_global_status_z z of SHOW GLOBAL STATUS.',
    '# TYPE mysql_global_status_z untyped',
    'mysql_global_status_z{cluster="a"} 1',
    'mysql_global_status_z{cluster="b"} 1',
    '',
  ].join('\n')

  it('keeps every family together under one head, whichever clusters have it', async () => {
    expect(
      await text([
        [0, a],
        [1, b],
      ]),
    ).to.equal(exposition)
  })

  it('gives the same text however clusters are spread over threads', async () => {
    expect(await text([[0, a]], [[1, b]])).to.equal(exposition)
    expect(await text([[1, b]], [], [[0, a]])).to.equal(exposition)
    const all = Array.from({ length: 9 }, (_, place) => cluster(`c${place}`, ['x', `y${place % 3}`], `${place}`))
    const alone = await text(all.map((samples, place) => [place, samples]))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2), { minLength: 9, maxLength: 9 }), async (thread) => {
        const spread = [0, 1, 2].map((own) =>
          all.flatMap((samples, place) => (thread[place] === own ? [[place, samples] as const] : [])),
        )
        expect(await text(...spread)).to.equal(alone)
      }),
    )
  })

  it("begins with the manager's own families and ends their last line", async () => {
    const [first, second] = await collect(threads([[0, a]]), '# TYPE manager_up gauge\nmanager_up 1')
    expect(first?.toString()).to.equal('# TYPE manager_up gauge\nmanager_up 1\n')
    expect(second?.toString()).to.contain('# TYPE mysql_global_status_x untyped\n')
  })

  it('keeps names of clusters in any script', async () => {
    const known = new Map([['manager_cluster_up', [{ labels: { cluster: 'größe-数' }, value: 1 }]]])
    const exotic: ClusterSamples = { ...cluster('größe-数', ['x']), known }
    const found = await text(
      [
        [0, exotic],
        [2, a],
      ],
      [[1, exotic]],
    )
    expect(found.match(/^.*\{cluster="größe-数"\} 1$/gm)).to.have.lengthOf(4)
    expect(found).to.contain('mysql_global_status_x{cluster="a"} 1\n')
  })

  it('leaves out what is no number', async () => {
    expect(
      await text([
        [0, cluster('a', ['x'], 'ON')],
        [1, b],
      ]),
    ).not.to.contain('status_x')
  })

  const families = Array.from({ length: 50 }, (_, index) => `f${index + 10}`)
  const fleet = (thread: number) =>
    Array.from(
      { length: 500 },
      (_, index): Placed => [2 * index + thread, cluster(`cluster-${2 * index + thread}`, families, `${index}`)],
    )

  it('gives pieces of bounded size and lets other work run in between', async () => {
    let turns = 0
    let isOver = false
    const count = () => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const pieces = await collect(threads(fleet(0), fleet(1)))
    isOver = true
    expect(Math.max(...pieces.map(({ length }) => length))).to.be.lessThan(2 * 256 * 1024)
    expect(pieces.length).to.be.greaterThan(5)
    expect(turns).to.be.at.least(pieces.length - 1)
  })

  it('packs the same text as one gzip file, which every client unpacks', async () => {
    const plain = Buffer.concat(await collect(threads(fleet(0), fleet(1)), 'manager_up 1\n'))
    const packed = Buffer.concat(await collect(threads(fleet(0), fleet(1)), 'manager_up 1\n', 'gzip'))
    expect(packed.length).to.be.lessThan(plain.length / 8)
    expect(gunzipSync(packed).equals(plain)).to.equal(true)
    const unpacked = spawnSync('gzip', ['-dc'], { input: packed, maxBuffer: 2 * plain.length })
    expect([unpacked.status, unpacked.stdout.equals(plain)]).to.deep.equal([0, true])
  })

  for (const form of ['plain', 'gzip'] as const)
    it(`ends what it reads when the client of the ${form} form stops`, async () => {
      let ended = 0
      async function* endless(thread: number) {
        try {
          for (let round = 0; ; round += 1)
            yield* renderSlices([{ place: thread, samples: cluster('a', [`x${1e9 + round}`], '1'.repeat(99_999)) }])
        } finally {
          ended += 1
        }
      }
      for await (const piece of stitch([endless(0), endless(1)], { own: '', form })) if (piece.length > 0) break
      await eventually(
        () => ended === 2,
        () => `both are ended, not ${ended}`,
      )
    })
})
