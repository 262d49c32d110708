// What a fresh host gets of a repository: what held on the former one, by the same order of precedence.
import { expect } from 'chai'
import { parse } from 'smol-toml'
import { unwrap } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { restoreFiles } from '../../../../lib/git/content/restored.js'
import { encryptSecret } from '../../../../lib/settings/secret/secrets.js'

const key = secret(Buffer.alloc(32, 7).toString('base64'))
const sealed = (text: string) => encryptSecret(secret(text), key)

const files = new Map([
  [
    'hosted.toml',
    '[hosted]\nclusters = ["shop", "plain"]\n[Default]\nfailover-limit = 7\napi-port = 1\napi-token-timeout = 3\nautorejoin = false\n',
  ],
  ['default.toml', '[saved-default]\nmonitoring-save-config = true\n'],
  ['shop/immutable.toml', `[given-shop]\ndb-servers-hosts = "db1,db2"\nmail-smtp-password = "${sealed('old')}"\n`],
  [
    'shop/shop.toml',
    `[saved-shop]\nfailover-limit = 1\nfailover-mode = "automatic"\nmail-smtp-password = "${sealed('new')}"\n[replaced-shop]\nmail-smtp-password = "hmac:a:b"\n`,
  ],
  ['late/late.toml', '[saved-late]\nadded-at-run-time = true\ndb-servers-hosts = "db9"\nfailover-limit = 2\n'],
])

const isGiven = (name: string) => name === 'api-port'
const restore = (...declared: readonly string[]) => restoreFiles({ files, declared: new Set(declared), isGiven, key })
const section = (text: string | undefined, name: string) =>
  (parse(text ?? '') as Record<string, Record<string, unknown>>)[`saved-${name}`]

describe('restoreFiles', () => {
  const { saved, left } = unwrap(restore())

  it('declares every cluster, those without saved changes and those added at run time too', () => {
    expect([...saved.keys()].sort()).to.deep.equal(['', 'late', 'plain', 'shop'])
    expect(section(saved.get('plain'), 'plain')).to.deep.equal({
      ...{ 'added-at-run-time': true, 'failover-limit': 7, autorejoin: false },
    })
  })

  it('lets files count before saved changes, and rotated secrets before both', () => {
    const shop = section(saved.get('shop'), 'shop')
    expect(shop).to.include({ 'db-servers-hosts': 'db1,db2', 'failover-limit': 7, 'failover-mode': 'automatic' })
    expect(files.get('shop/shop.toml')).to.include(String(shop?.['mail-smtp-password']))
  })

  it('lets saved changes count before [Default] where the cluster was added at run time', () => {
    expect(section(saved.get('late'), 'late')).to.include({ 'failover-limit': 2, autorejoin: false })
  })

  it('gives the server what acts at once, and names what only a file may give', () => {
    expect(section(saved.get(''), 'default')).to.deep.equal({ 'api-token-timeout': 3, 'monitoring-save-config': true })
    expect(left).to.deep.equal([])
  })

  it('leaves a cluster that this host declares its saved changes as they are', () => {
    expect(unwrap(restore('shop')).saved.get('shop')).to.equal(files.get('shop/shop.toml'))
  })

  it('is refused without the key of the former host', () => {
    for (const own of [undefined, secret(Buffer.alloc(32, 8).toString('base64'))]) {
      const refused = restoreFiles({ files, declared: new Set(), isGiven, key: own })
      expect(refused.ok ? '' : refused.failure.code).to.equal('bad-secret')
    }
  })
})
