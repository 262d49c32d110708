// The checksum of gzip, of text as a whole and of text in parts.
import { crc32 } from 'node:zlib'
import { expect } from 'chai'
import { addBytes, aheadOf, moveOn, START } from '../../../lib/metrics/checksum.js'

const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 137 + length * 31) & 255))
const lengths = [0, 1, 2, 3, 4, 5, 8, 31, 32, 33, 255, 511, 512, 513, 2_000]

describe('the checksum', () => {
  it('is that of gzip', () => {
    for (const length of lengths) {
      const bytes = bytesOf(length)
      expect(~addBytes(START, bytes, 0, length) >>> 0, `${length} bytes`).to.equal(crc32(bytes))
    }
  })

  it('of a part that was added ahead of it, and moved on, is that of the part at its place', () => {
    for (const length of lengths) {
      const [before, part] = [bytesOf(77), bytesOf(length)]
      const checksum = addBytes(START, before, 0, before.length)
      const whole = crc32(Buffer.concat([before, part]))
      expect(~moveOn(checksum ^ aheadOf(part), length) >>> 0, `${length} bytes`).to.equal(whole)
    }
  })
})
