// Lines that scripts of hosts seal by the cipher of the contract, made by a shell and openssl as such scripts make them.
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { openSealed } from '../../../../lib/backup/hosts/index.js'

const password = "it's a $ecret"

/** As scripts do: padded by hand to 32 bytes with the byte 1, then once more by openssl. */
const seal = (text: string, by = password): string =>
  execFileSync(
    'sh',
    [
      '-c',
      `key=$(printf %s "$PW" | openssl dgst -sha256 -r | cut -d ' ' -f 1); iv=$(printf %s "$PW" | openssl dgst -md5 -r | cut -d ' ' -f 1)
       text=$(cat); pad=$((32 - $(printf %s "$text" | wc -c) % 32))
       { printf %s "$text"; i=0; while [ "$i" -lt "$pad" ]; do printf '\\001'; i=$((i + 1)); done; } |
         openssl enc -aes-256-cbc -K "$key" -iv "$iv" | openssl base64 -A`,
    ],
    { input: text, env: { PATH: process.env.PATH, PW: by }, encoding: 'utf8' },
  )

describe('openSealed', () => {
  it('opens what a shell with openssl has sealed', () => {
    const line = { server: 'db1:3306', log: 'line1\nline "2" żółw\n' }
    expect(openSealed(seal(JSON.stringify(line)), password)).to.deep.equal({ ok: true, value: [line] })
    const two = `${JSON.stringify({ ...line, level: 'WARN' })}\n${JSON.stringify(line)}`
    expect(openSealed(seal(two), password)).to.deep.equal({ ok: true, value: [{ ...line, level: 'WARN' }, line] })
  })

  it('distinguishes what cannot be decoded from what cannot be decrypted', () => {
    const codeOf = (data: string) => {
      const opened = openSealed(data, password)
      return opened.ok || opened.failure.code
    }
    for (const data of ['', '***', '{"server":"a"}', 'A'.repeat(600_000)]) expect(codeOf(data)).to.equal('undecodable')
    for (const data of ['QUJD', seal('{"server":"a","log":"b"}', 'other'), seal('no JSON'), seal('{"server":1}')])
      expect(codeOf(data)).to.equal('undecryptable')
  })
})
