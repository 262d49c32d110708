import { expect } from 'chai'
import { isOpen, isWithin, judgeDownload } from '../../../lib/access/download.js'

const open = { secure: false, addresses: [], tokens: false }
const stranger = { user: '', mayRead: false, address: '192.0.2.7' }

describe('judgeDownload', () => {
  for (const [what, policy, asker, expected] of [
    ['anybody by default', open, stranger, 'open'],
    ['a token, and nothing less, when secured', { ...open, secure: true }, stranger, 'token'],
    ['no user without the grant when secured', { ...open, secure: true }, { ...stranger, user: 'guest' }, 'no-grant'],
    ['a user with the grant when secured', { ...open, secure: true }, { ...stranger, mayRead: true }, 'login'],
    ['no address outside of the ranges', { ...open, addresses: ['10.0.0.0/8'] }, stranger, 'no-grant'],
    [
      'a user with the grant from anywhere',
      { ...open, addresses: ['10.0.0.0/8'] },
      { ...stranger, mayRead: true },
      'login',
    ],
    ['a token from inside the ranges', { ...open, addresses: ['192.0.2.0/24'], tokens: true }, stranger, 'token'],
    ['no token from outside the ranges', { ...open, addresses: ['10.0.0.1'], tokens: true }, stranger, 'no-grant'],
  ] as const)
    it(`admits ${what}`, () => {
      const judged = judgeDownload(policy, asker)
      expect(judged.ok ? judged.value : judged.failure.code).to.equal(expected)
    })
})

describe('isWithin', () => {
  for (const [address, range, within] of [
    ['10.1.2.3', '10.0.0.0/8', true],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '10.0.0.0/8', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['fd00::7', 'fd00::/8', true],
    ['fe80::7%eth0', 'fe80::/10', true],
    ['fd00::7', '10.0.0.0/8', false],
    ['', '0.0.0.0/0', false],
  ] as const)
    it(`says ${within} of ${address || 'nothing'} and ${range}`, () => {
      expect(isWithin(address, [range])).to.equal(within)
    })
})

describe('isOpen', () => {
  it('is true only where nothing narrows the downloads', () => {
    expect(isOpen(open)).to.equal(true)
    expect(
      [
        { ...open, secure: true },
        { ...open, addresses: ['::/0'] },
        { ...open, tokens: true },
      ].map(isOpen),
    ).to.deep.equal([false, false, false])
  })
})
