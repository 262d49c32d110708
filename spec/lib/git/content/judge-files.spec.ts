// What may be committed: every secret setting in clear is refused, whatever the file, and no message shows a value.
import { expect } from 'chai'
import { secret } from '../../../../lib/base/secret.js'
import { judgeFile, LARGEST_FILE, permitFiles } from '../../../../lib/git/content/judge-files.js'
import { encryptSecret } from '../../../../lib/settings/secret/secrets.js'
import { settingNames, settingRow } from '../../../../lib/settings/table/index.js'

const key = secret(Buffer.alloc(32, 7).toString('base64'))
const sealed = encryptSecret(secret('hidden'), key)
const saved = (name: string, value: string, section = 'saved-shop') =>
  `[${section}]\n"${name}" = ${JSON.stringify(value)}\n`
const problems = (text: string, path = 'shop/shop.toml') => judgeFile(path, text).map(({ problem }) => problem)

describe('judgeFile', () => {
  it('refuses every secret setting in clear, and takes it encrypted or empty', () => {
    const secrets = settingNames.filter((name) => settingRow(name).secret)
    expect(secrets.length).to.be.above(20)
    for (const name of secrets) {
      expect(problems(saved(name, 'user:in-clear')), name).to.deep.equal([`${name} is in clear`])
      expect(problems(saved(name, sealed)), name).to.deep.equal([])
      expect(problems(saved(name, '')), name).to.deep.equal([])
    }
  })

  it('refuses names without effect that are secrets, and unknown names that sound like one', () => {
    for (const name of ['hosted-gitlab-password', 'some-password', 'new-api-token', 'x-credential'])
      expect(problems(saved(name, 'in-clear')), name).to.have.length(1)
    expect(problems(saved('failover-mode', 'manual'))).to.deep.equal([])
  })

  it('takes the keyed mark of a rotated secret, and none that could be guessed', () => {
    const mark = (text: string) => problems(saved('db-servers-credential', text, 'replaced-shop'))
    expect(mark('hmac:c2FsdA==:ZGlnZXN0')).to.deep.equal([])
    expect(mark('scrypt:c2FsdA==:ZGlnZXN0')).to.have.length(1)
    expect(problems(saved('db-servers-credential', 'hmac:c2FsdA==:ZGlnZXN0'))).to.have.length(1)
  })

  it('refuses keys, addresses with a login, other files, and files that are too large or not readable', () => {
    expect(problems('# -----BEGIN PRIVATE KEY-----\n')).to.deep.equal(['contains a private key'])
    expect(problems(saved('api-public-url', 'https://ann:pw@host/'))).to.deep.equal(['api-public-url is in clear'])
    for (const path of ['.manager.key', 'api-tokens.json', 'shop/jobs.json', 'shop/../x.toml', 'shop/other.toml'])
      expect(problems('', path), path).to.have.length(1)
    expect(problems(' '.repeat(LARGEST_FILE + 1))).to.have.length(1)
    expect(problems('a = = 1')).to.have.length(1)
  })
})

describe('permitFiles', () => {
  it('names files and settings, and shows no value', () => {
    const permitted = permitFiles(
      new Map([
        ['shop/shop.toml', saved('mail-smtp-password', 'in-the-clear')],
        ['gone.toml', undefined],
      ]),
    )
    expect(permitted).to.deep.equal({
      ok: false,
      failure: { code: 'secret-in-clear', message: 'shop/shop.toml: mail-smtp-password is in clear' },
    })
  })
})
