// What git prints, as values.
import { expect } from 'chai'
import {
  isBehind,
  isLoginRefused,
  parseBatch,
  parseLog,
  parseRemoteHead,
  parseTree,
  reasonOfGit,
} from '../../../../lib/git/client/parse.js'

const id = 'a'.repeat(40)

describe('parseTree', () => {
  it('lists ordinary files, and neither links nor submodules', () => {
    const text = [
      `100644 blob ${id}      12\tshop/shop.toml`,
      `120000 blob ${id}      12\tlink`,
      `160000 commit ${id}       -\tmodule`,
    ].join('\0')
    expect(parseTree(`${text}\0`)).to.deep.equal([{ path: 'shop/shop.toml', blob: id, size: 12 }])
  })
})

describe('parseBatch', () => {
  it('counts bytes, not characters, and passes over what is missing', () => {
    const text = 'ü\n\n'
    const bytes = Buffer.from(`${id} blob ${Buffer.byteLength(text)}\n${text}\n${'b'.repeat(40)} missing\n`)
    expect([...parseBatch(bytes)]).to.deep.equal([[id, text]])
  })
})

describe('parseLog', () => {
  it('keeps lines of a body together', () => {
    expect(parseLog(`${id}\x1fann\x1fann@x\x1f12\x1fsubject\x1fone\ntwo\n\x1e\n`)).to.deep.equal([
      { id, author: 'ann', email: 'ann@x', at: 12_000, subject: 'subject', body: 'one\ntwo' },
    ])
  })
})

describe('parseRemoteHead', () => {
  it('is the commit of the branch, and of no other', () => {
    expect(parseRemoteHead(`${id}\trefs/heads/main\n`, 'main')).to.equal(id)
    expect(parseRemoteHead(`${id}\trefs/heads/maintenance\n`, 'main')).to.equal(undefined)
  })
})

describe('reasonOfGit', () => {
  it('is one line without logins', () => {
    expect(reasonOfGit("hint: x\nfatal: unable to access 'https://u:p@host/x'\n")).to.equal(
      "fatal: unable to access 'https://host/x'",
    )
  })
})

describe('what a failure of the remote is', () => {
  it('follows from the words of git', () => {
    expect(isLoginRefused("fatal: Authentication failed for 'https://host/'")).to.equal(true)
    expect(isLoginRefused('error: 403')).to.equal(true)
    expect(isBehind(' ! [rejected] main -> main (fetch first)')).to.equal(true)
    expect(isBehind('fatal: unable to access')).to.equal(false)
  })
})
