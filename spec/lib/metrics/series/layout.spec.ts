// Blocks as bytes in two rings: what is read is what was written, or a gap.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  BLOCK_MS,
  type Block,
  blockBytes,
  coarsen,
  decodeBlock,
  decodeRing,
  encodeBlock,
  HEAD_BYTES,
  joinBlocks,
  placeOf,
  type RingName,
  renderHead,
  ringRange,
  type SeriesColumn,
  serverColumns,
} from '../../../../lib/metrics/series/index.js'

const NEWEST = 14_960_390

const columns: readonly SeriesColumn[] = [
  { name: 'a', unit: 'count', thin: 'mean' },
  { name: 'b', unit: 'count', thin: 'max' },
]
const width = columns.length

const values = fc.oneof(fc.float(), fc.constant(Number.NaN))
const blocks = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 32 - 1 }), fc.array(values, { minLength: 12 * width, maxLength: 12 * width }))
  .map(([number, rows]): Block => ({ number, rows: Float32Array.from(rows) }))

/** A ring that has got these blocks, in this order. */
function ringOf(ring: RingName, written: readonly Block[]): Buffer {
  const { at, bytes } = ringRange(ring, width)
  const file = Buffer.alloc(bytes)
  for (const block of written) encodeBlock(block).copy(file, placeOf(ring, block.number, width) - at)
  return file
}

const blockOf = (number: number, value = number % 1_000): Block => ({
  number,
  rows: new Float32Array(12 * width).fill(value),
})

describe('encodeBlock', () => {
  it('is read back as it was', () => {
    fc.assert(
      fc.property(blocks, (block) => {
        expect(decodeBlock(encodeBlock(block), block.number)).to.deep.equal(block)
      }),
    )
  })

  it('is no block when a byte of it is another one, or it is asked for by another number', () => {
    fc.assert(
      fc.property(blocks, fc.nat(), fc.integer({ min: 1, max: 255 }), (block, place, change) => {
        const bytes = encodeBlock(block)
        const at = place % bytes.length
        bytes.writeUInt8((bytes.readUInt8(at) ^ change) & 255, at)
        expect(decodeBlock(bytes, block.number)).to.equal(undefined)
        expect(decodeBlock(encodeBlock(block), block.number - 1)).to.equal(undefined)
      }),
    )
  })

  it('fits into its place in the ring', () => {
    const size = blockBytes('fine', width)
    expect(encodeBlock(blockOf(1)).length).to.equal(size)
    expect(encodeBlock(coarsen(blockOf(1), columns)).length).to.equal(blockBytes('coarse', width))
  })
})

describe('decodeRing', () => {
  it('has the blocks of the span, oldest first, however often the ring went round', () => {
    const written = Array.from({ length: 150 }, (_, index) => blockOf(NEWEST - 149 + index))
    const found = decodeRing(ringOf('fine', written), {
      ...{ ring: 'fine', columns: width },
      ...{ from: (NEWEST - 9) * BLOCK_MS, to: (NEWEST + 1) * BLOCK_MS },
    })
    expect(found).to.deep.equal(written.slice(-10))
  })

  it('keeps two hours of ten seconds', () => {
    const written = Array.from({ length: 150 }, (_, index) => blockOf(NEWEST - 149 + index))
    const all = { ring: 'fine', columns: width, from: 0, to: (NEWEST + 1) * BLOCK_MS } as const
    expect(decodeRing(ringOf('fine', written), all)).to.have.length(62)
  })

  it('has a gap for what was not written, and for blocks of a clock that was ahead', () => {
    const written = [blockOf(NEWEST - 3), blockOf(NEWEST), blockOf(NEWEST + 500)]
    const span = { ring: 'fine', columns: width, from: (NEWEST - 20) * BLOCK_MS, to: (NEWEST + 1) * BLOCK_MS } as const
    const found = decodeRing(ringOf('fine', written), span).map(({ number }) => number)
    expect(found).to.deep.equal([NEWEST - 3, NEWEST])
  })

  it('reads nothing of a file that ends early', () => {
    const span = { ring: 'coarse', columns: width, from: 0, to: (NEWEST + 1) * BLOCK_MS } as const
    expect(decodeRing(Buffer.alloc(0), span)).to.deep.equal([])
  })
})

describe('coarsen', () => {
  it('makes minutes: the mean of what is known, or the highest', () => {
    const rows = new Float32Array(12 * width).fill(Number.NaN)
    for (const [row, value] of [1, 2, 9].entries()) rows.fill(value, row * width, (row + 1) * width)
    const { rows: minutes } = coarsen({ number: 1, rows }, columns)
    expect([...minutes]).to.deep.equal([4, 9, Number.NaN, Number.NaN])
  })
})

describe('joinBlocks', () => {
  it('fills what the newer one does not know', () => {
    const newer = blockOf(1, 5)
    newer.rows[0] = Number.NaN
    expect([...joinBlocks(blockOf(1, 3), newer).rows].slice(0, 3)).to.deep.equal([3, 5, 5])
    expect(joinBlocks(undefined, newer)).to.deep.equal(newer)
  })
})

describe('renderHead', () => {
  it('names the columns, in a whole page', () => {
    const head = renderHead(serverColumns)
    expect(head).to.have.length(HEAD_BYTES)
    expect(JSON.parse(head.toString()).columns).to.have.length(serverColumns.length)
  })
})
