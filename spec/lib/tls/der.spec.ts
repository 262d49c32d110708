// What is known of DER from the standards and their examples.
import { expect } from 'chai'
import { contentOf, element, elementsOf, identifier, integer, moment, sequence, text } from '../../../lib/tls/der.js'

const hex = (bytes: Buffer): string => bytes.toString('hex')

describe('DER', () => {
  it('writes object identifiers with numbers of any size', () => {
    expect(hex(identifier('1.2.840.113549'))).to.equal('06062a864886f70d')
    expect(hex(identifier('2.5.29.19'))).to.equal('0603551d13')
    expect(hex(identifier('1.3.6.1.5.5.7.3.1'))).to.equal('06082b06010505070301')
  })

  it('writes lengths below 128 in one byte, others with the number of their bytes', () => {
    expect(hex(element('octets', Buffer.alloc(127)).subarray(0, 2))).to.equal('047f')
    expect(hex(element('octets', Buffer.alloc(128)).subarray(0, 3))).to.equal('048180')
    expect(hex(element('octets', Buffer.alloc(65_536)).subarray(0, 5))).to.equal('0483010000')
  })

  it('writes years from 2050 on with four digits', () => {
    expect(contentOf(moment(Date.UTC(2049, 11, 31, 23, 59, 59))).toString()).to.equal('491231235959Z')
    expect(contentOf(moment(Date.UTC(2050, 0, 1))).toString()).to.equal('20500101000000Z')
  })

  it('reads the elements that it wrote', () => {
    const parts = [integer(Buffer.from([1])), text('a'.repeat(300)), sequence()]
    expect(elementsOf(contentOf(sequence(...parts)))).to.deep.equal(parts)
  })
})
