// A stitched archive is an ordinary gzip file: other programs read it, and it is the plain concatenation.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import fc from 'fast-check'
import { deflatePrefix, readLabel, stitchGzip } from '../../../actors/archive/stitch.js'
import { newDirectory } from '../../support/directories.js'

const bytes = fc.uint8Array({ maxLength: 5_000 }).map((array) => Buffer.from(array))

describe('stitchGzip', () => {
  it('unpacks to prefix and rest, whatever they are', () => {
    fc.assert(
      fc.property(bytes, bytes, (prefix, rest) => {
        const packed = stitchGzip(deflatePrefix(prefix), rest, 'a label')
        expect(gunzipSync(packed).equals(Buffer.concat([prefix, rest]))).to.equal(true)
        expect(readLabel(packed)).to.equal('a label')
      }),
    )
  })

  it('passes the test of gzip', () => {
    const file = path.join(newDirectory('stitch'), 'a.gz')
    writeFileSync(file, stitchGzip(deflatePrefix(Buffer.alloc(70_000, 'ab')), Buffer.from('rest'), 'label'))
    expect(execFileSync('gzip', ['-tv', file], { stdio: ['ignore', 'pipe', 'pipe'] }).toString()).to.equal('')
  })
})

describe('readLabel', () => {
  it('knows no label of what is cut off, plain or packed by others', () => {
    const packed = stitchGzip(deflatePrefix(Buffer.from('x')), Buffer.from('y'), 'label')
    expect(readLabel(packed.subarray(0, 12))).to.equal(undefined)
    expect(readLabel(Buffer.from('text'))).to.equal(undefined)
    expect(readLabel(execFileSync('gzip', ['-c'], { input: 'x' }))).to.equal(undefined)
  })
})
