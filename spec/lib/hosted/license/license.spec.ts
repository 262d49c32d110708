// Licenses: what is signed counts for one manager, and a file with any other byte, key or name does not.
import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { unwrap } from '../../../../lib/base/result.js'
import { hostedPlans } from '../../../../lib/hosted/instance/plan.js'
import { type InstanceUri, parseUri, renderUri, uriOfSettings } from '../../../../lib/hosted/instance/uri.js'
import { judgeLicense, readPublicKey, renderLicense, signLicense } from '../../../../lib/hosted/license/license.js'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const own: InstanceUri = { domain: 'acme', subdomain: 'paris-1', zone: 'a' }
const bytes = renderLicense({ uri: own, plan: 'partner', issuedAt: 1_795_246_812_000 }, 'once')
const signature = signLicense(bytes, privateKey)

describe('judgeLicense', () => {
  for (const plan of hostedPlans)
    it(`gives the plan ${plan} that was signed, at any time`, () => {
      const signed = renderLicense({ uri: own, plan, issuedAt: 0 }, 'once')
      const judged = judgeLicense({ bytes: signed, signature: signLicense(signed, privateKey), key: publicKey }, own)
      expect(unwrap(judged)).to.deep.equal({ uri: own, plan, issuedAt: 0 })
    })

  it('refuses a file with any byte changed, and a signature with any byte changed', () => {
    for (const [which, length] of [
      ['bytes', bytes.length],
      ['signature', signature.length],
    ] as const)
      for (let at = 0; at < length; at += 1) {
        const files = { bytes: Buffer.from(bytes), signature: Buffer.from(signature), key: publicKey }
        files[which][at] = (files[which][at] ?? 0) ^ 1
        expect(judgeLicense(files, own).ok, `${which} ${at}`).to.equal(false)
      }
  })

  it('refuses the license of another manager, another key, and a signature of another length', () => {
    const other = generateKeyPairSync('ed25519').publicKey
    const judged = [
      judgeLicense({ bytes, signature, key: publicKey }, { ...own, zone: 'b' }),
      judgeLicense({ bytes, signature, key: other }, own),
      judgeLicense({ bytes, signature: signature.subarray(1), key: publicKey }, own),
    ]
    expect(judged.map((one) => (one.ok ? 'counts' : one.failure.message))).to.deep.equal([
      'it is for acme.paris-1.a, this manager is acme.paris-1.b',
      'the signature does not belong to this file and the signing key of the package',
      'the signature has 63 bytes, an Ed25519 signature has 64',
    ])
  })

  it('refuses what is signed and no license', () => {
    for (const text of ['', '[]', 'null', '{}', '{"domain":"a","subDomain":"b","subDomainZone":"c","plan":"gold"}']) {
      const odd = Buffer.from(text)
      const judged = judgeLicense({ bytes: odd, signature: signLicense(odd, privateKey), key: publicKey }, own)
      expect(judged.ok, text).to.equal(false)
    }
  })
})

describe('readPublicKey', () => {
  it('takes PEM and the 32 bytes of the key', () => {
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    for (const file of [raw, Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }))])
      expect(judgeLicense({ bytes, signature, key: unwrap(readPublicKey(file)) }, own).ok).to.equal(true)
  })

  it('refuses a key of another kind and what is no key', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ type: 'spki', format: 'pem' })
    for (const file of [Buffer.from(rsa), Buffer.from('key'), Buffer.alloc(0), Buffer.alloc(31)])
      expect(readPublicKey(file)).to.deep.include({ ok: false })
  })
})

describe('parseUri', () => {
  const slug = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,20}[a-z0-9])?$/)

  it('gives back what renderUri writes', () => {
    fc.assert(
      fc.property(fc.record({ domain: slug, subdomain: slug, zone: slug }), (uri) => {
        expect(unwrap(parseUri(renderUri(uri)))).to.deep.equal(uri)
      }),
    )
  })

  for (const text of ['', 'a', 'a.b', 'a.b.c.d', 'A.b.c', 'a..c', '-a.b.c', 'a.b-.c', 'a.b.c ', 'a.b.ü', 'a/x.b.c'])
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseUri(text)).to.deep.include({ ok: false })
    })

  it('needs all three settings', () => {
    const settings = { 'hosted-domain': 'a', 'hosted-sub-domain': 'b', 'hosted-sub-domain-zone': '' }
    expect(uriOfSettings(settings)).to.equal(undefined)
    expect(uriOfSettings({ ...settings, 'hosted-sub-domain-zone': 'c' })).to.deep.equal({
      ...{ domain: 'a', subdomain: 'b', zone: 'c' },
    })
  })
})
