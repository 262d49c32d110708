// What a thread answers of the samples of all its clusters.
import { expect } from 'chai'
import { expose, expositionReads as reads } from '../../../../actors/cluster/publish/exposition.js'
import type { SliceBatch } from '../../../../lib/metrics/index.js'
import { everything } from '../../../../lib/metrics/index.js'
import { viewInput } from '../../../support/http/view-input.js'

describe('expositionReads', () => {
  const alpha = new AbortController()
  const beta = new AbortController()
  const offer = (id: string, { signal }: AbortController) => {
    const { snapshot, memory } = viewInput()
    expose({ id, signal }, () => ({ snapshot: { ...snapshot, cluster: id }, memory }))
  }
  beforeEach(() => {
    offer('alpha', alpha)
    offer('beta', beta)
  })
  after(() => {
    alpha.abort()
    beta.abort()
  })

  const batchesOf = async (scrape: number): Promise<readonly SliceBatch[]> => {
    const batches: SliceBatch[] = []
    for (;;) {
      const batch = await reads['next-batch']({ scrape })
      if (!batch) return batches
      batches.push(batch)
    }
  }
  const placesOf = (batches: readonly SliceBatch[]) =>
    new Set(batches.flatMap(({ slices }) => slices.filter((_, index) => index % 3 === 1)))
  const textOf = (batches: readonly SliceBatch[]): string => Buffer.concat(batches.map(({ text }) => text)).toString()

  it('returns the samples of its clusters with their places in the list', async () => {
    await reads['open-scrape']({ scrape: 1, clusters: ['elsewhere', 'beta', 'alpha'], selection: everything })
    const batches = await batchesOf(1)
    expect([...placesOf(batches)].toSorted()).to.deep.equal([1, 2])
    expect(textOf(batches)).to.match(/\{cluster="beta"\} \d\n.*\{cluster="alpha"\} \d\n/)
    expect(await reads['next-batch']({ scrape: 1 })).to.equal(undefined)
  })

  it('keeps two scrapes apart, and forgets one that is closed', async () => {
    await reads['open-scrape']({ scrape: 2, clusters: ['alpha'], selection: everything })
    await reads['open-scrape']({ scrape: 3, clusters: ['beta'], selection: everything })
    await reads['close-scrape']({ scrape: 2 })
    expect(await batchesOf(2)).to.deep.equal([])
    expect(textOf(await batchesOf(3)))
      .to.contain('cluster="beta"')
      .and.not.contain('alpha')
  })

  it('gives the figures of a cluster that it has, until its actor ends', async () => {
    const [first] = (await reads.figures({ cluster: 'alpha' })) ?? []
    expect(first?.families).to.include('mysql_global_status_queries')
    expect(await reads.figures({ cluster: 'elsewhere' })).to.equal(undefined)
    const gamma = new AbortController()
    offer('gamma', gamma)
    expect(await reads.figures({ cluster: 'gamma' })).to.have.length.above(0)
    gamma.abort()
    expect(await reads.figures({ cluster: 'gamma' })).to.equal(undefined)
  })

  it('keeps the samples of a later life when an earlier one ends late', async () => {
    const [earlier, later] = [new AbortController(), new AbortController()]
    offer('delta', earlier)
    offer('delta', later)
    earlier.abort()
    expect(await reads.figures({ cluster: 'delta' })).to.have.length.above(0)
    later.abort()
  })
})
