// Frames of many clusters as one exposition.
import { expect } from 'chai'
import { openFrame } from '../../../lib/metrics/frame-writer.js'
import { stitch } from '../../../lib/metrics/stitch.js'

const frame = (cluster: string, families: readonly string[]): Buffer => {
  const writer = openFrame()
  const labels = { cluster }
  for (const family of families) writer.add(family, { labels, value: 1 })
  return writer.encode()
}

async function collect(frames: AsyncIterable<Buffer> | Iterable<Buffer>, own = ''): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = []
  for await (const chunk of stitch(frames, { own, form: 'plain' })) chunks.push(chunk)
  return chunks
}

const text = async (...frames: readonly Buffer[]): Promise<string> => Buffer.concat(await collect(frames)).toString()

describe('stitch', () => {
  it('keeps every family together under one head, whichever clusters have it', async () => {
    const exposition = await text(
      frame('a', ['mysql_global_status_x', 'mysql_global_status_z']),
      frame('b', ['mysql_global_status_y', 'mysql_global_status_z']),
    )
    expect(exposition).to.equal(
      [
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
      ].join('\n'),
    )
  })

  it("begins with the manager's own families and ends their last line", async () => {
    const [first, second] = await collect([frame('a', ['manager_cluster_up'])], '# TYPE manager_up gauge\nmanager_up 1')
    expect(first?.toString()).to.equal('# TYPE manager_up gauge\nmanager_up 1\n')
    expect(second?.toString()).to.contain('# TYPE manager_cluster_up gauge\n')
  })

  it('reads bytes that are no frame as a cluster without samples', async () => {
    const broken = [
      Buffer.from(''),
      Buffer.from('{"error":1}\n'),
      Buffer.from('frame 2 3\n{a="b"}\n'),
      Buffer.from('frame 1 1\n{a="b"}\nx 0=1\n'),
    ]
    expect(await text(...broken, frame('a', ['manager_cluster_up']))).to.match(/manager_cluster_up\{cluster="a"\} 1\n$/)
  })

  it('gives a frame cut short only its whole families', async () => {
    const whole = frame('a', ['mysql_global_status_x', 'mysql_global_status_y'])
    expect(await text(whole.subarray(0, -3))).not.to.contain('status_y')
  })

  it('keeps names of families whatever they share with the one before, in whichever frame', async () => {
    const long = 'x'.repeat(200)
    const told = {
      a: ['a', 'aa', 'aab', 'b_2', `${long}1`, `${long}2`, 'y'],
      b: ['aab', 'ab', 'b_1', 'b_2', `${long}`, `${long}2`, `${long}21`, 'y', 'yy'],
      c: ['aa', 'aab', 'ab', 'b_2', `${long}2`, 'yy'],
    }
    const exposition = await text(...Object.entries(told).map(([cluster, families]) => frame(cluster, families)))
    const samples = exposition.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const expected = Object.entries(told).flatMap(([cluster, families]) =>
      families.map((family) => `${family}{cluster="${cluster}"} 1`),
    )
    expect(samples.toSorted()).to.deep.equal(expected.toSorted())
    expect(exposition.match(/^# TYPE/gm)).to.have.lengthOf(new Set(Object.values(told).flat()).size)
  })

  it('keeps names of clusters in any script', async () => {
    expect(await text(frame('größe-数', ['manager_cluster_up']))).to.contain('{cluster="größe-数"} 1')
  })

  it('gives chunks of bounded size and lets other work run in between', async () => {
    const families = Array.from({ length: 50 }, (_, index) => `mysql_global_status_f${index + 10}`)
    const frames = Array.from({ length: 1_000 }, (_, index) => frame(`cluster-${index}`, families))
    let turns = 0
    const counter = setInterval(() => (turns += 1), 0)
    const chunks = await collect(frames)
    clearInterval(counter)
    expect(Math.max(...chunks.map(({ length }) => length))).to.be.lessThan(2 * 256 * 1024)
    expect(chunks.length).to.be.greaterThan(5)
    expect(turns).to.be.greaterThan(1)
  })

  it('takes frames as they come', async () => {
    async function* arriving() {
      yield frame('a', ['manager_cluster_up'])
      await Promise.resolve()
      yield frame('b', ['manager_cluster_up'])
    }
    expect(Buffer.concat(await collect(arriving())).toString()).to.match(/\{cluster="a"\} 1\n.*\{cluster="b"\} 1\n$/)
  })
})
