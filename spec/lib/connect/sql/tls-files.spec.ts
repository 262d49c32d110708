// TLS files for connections to databases: what is read, and how faulty files are reported.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { readTls } from '../../../../lib/connect/sql/tls-files.js'
import { makeAuthority, type Pair } from '../../../support/machine/authority.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('readTls', () => {
  const folder = newDirectory('tls-files')
  let ca: string
  let [first, second]: Pair[] = []
  const pair = (cert: Pair | undefined, key: Pair | undefined) => ({
    cert: cert?.certFile ?? '',
    key: key?.keyFile ?? '',
  })

  before(async () => {
    const authority = await makeAuthority()
    ca = authority.caFile
    first = await authority.issue('DNS:manager')
    second = await authority.issue('DNS:other')
  })

  it('is nothing without files', async () => {
    expect(await readTls({})).to.equal(undefined)
  })

  it('gives the texts and where they are from', async () => {
    const files = { ca, ...pair(first, first) }
    const tls = await readTls(files)
    expect(tls).to.include.keys('ca', 'cert', 'key').and.not.have.property('unusable')
    expect(tls?.files).to.deep.equal(files)
  })

  it('names every file that cannot be read', async () => {
    const tls = await readTls({ ca: `${folder}/none.pem`, cert: `${folder}/no.pem`, key: first?.keyFile ?? '' })
    expect(tls?.unusable)
      .to.include(`CA certificate ${folder}/none.pem: ENOENT`)
      .and.include(`client certificate ${folder}/no.pem: ENOENT`)
  })

  it('reports content that is missing in a file', async () => {
    const tls = await readTls({ ca: first?.keyFile ?? '' })
    expect(tls?.unusable).to.match(/^CA certificate .* holds no PEM block "CERTIFICATE"$/)
  })

  it('reports that a block is no certificate', async () => {
    const file = path.join(folder, 'torn.pem')
    await writeFile(file, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n')
    expect((await readTls({ cert: file, key: first?.keyFile ?? '' }))?.unusable).to.include(
      `client certificate ${file}: `,
    )
  })

  it('reports that a key belongs to another certificate', async () => {
    const tls = await readTls(pair(first, second))
    expect(tls?.unusable).to.match(/^client key .* does not fit client certificate .*: /)
  })
})
