// A stitched archive is an ordinary gzip file: other programs read it, and it is the plain concatenation.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { deflatePiece, readLabel, stitchGzip } from '../../../actors/archive/stitch.js'
import { newDirectory } from '../../support/machine/directories.js'

const bytes = fc.uint8Array({ maxLength: 5_000 }).map((array) => Buffer.from(array))

const stitch = (first: Buffer, rest: string): Buffer =>
  stitchGzip({ first: deflatePiece(first, 'compress'), more: [], rest: Buffer.from(rest), label: 'label' })

describe('stitchGzip', () => {
  it('unpacks to its pieces and the rest, whatever they are', () => {
    fc.assert(
      fc.property(bytes, fc.array(bytes, { maxLength: 3 }), bytes, (first, more, rest) => {
        const packed = stitchGzip({
          first: deflatePiece(first, 'compress'),
          more: more.map((each) => deflatePiece(each, 'store')),
          rest,
          label: 'a label',
        })
        expect(gunzipSync(packed).equals(Buffer.concat([first, ...more, rest]))).to.equal(true)
        expect(readLabel(packed)).to.equal('a label')
      }),
    )
  })

  it('stores what is longer than a block can be', () => {
    const long = Buffer.alloc(200_000, 'abc')
    const packed = stitchGzip({
      first: deflatePiece(long, 'compress'),
      more: [deflatePiece(long, 'store')],
      rest: long,
      label: 'l',
    })
    expect(gunzipSync(packed).equals(Buffer.concat([long, long, long]))).to.equal(true)
  })

  it('passes the test of gzip', () => {
    const file = path.join(newDirectory('stitch'), 'a.gz')
    writeFileSync(file, stitch(Buffer.alloc(70_000, 'ab'), 'rest'))
    expect(execFileSync('gzip', ['-tv', file], { stdio: ['ignore', 'pipe', 'pipe'] }).toString()).to.equal('')
  })
})

describe('readLabel', () => {
  it('knows no label of what is cut off, plain or packed by others', () => {
    const packed = stitch(Buffer.from('x'), 'y')
    expect(readLabel(packed.subarray(0, 12))).to.equal(undefined)
    expect(readLabel(Buffer.from('text'))).to.equal(undefined)
    expect(readLabel(execFileSync('gzip', ['-c'], { input: 'x' }))).to.equal(undefined)
  })
})
