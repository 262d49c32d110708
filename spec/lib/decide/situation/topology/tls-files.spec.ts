// The TLS files with which a replica cannot connect: named with their server and setting.
import { expect } from 'chai'
import { hasOtherFiles, refusedFiles } from '../../../../../lib/decide/situation/topology/tls-files.js'
import { judgeLeftFiles } from '../../../../../lib/decide/watching/left-files.js'
import { freshMemory } from '../../../../../lib/model/memory.js'
import { channel, primary, replica, settings, situation } from '../../../../support/simulator/situation.js'

const tlsFiles = { ca: '/ssl/ca.pem', cert: '/ssl/cert.pem', key: '/ssl/key.pem' }
const source = { host: 'db1', port: 3306, serverNumber: 1, user: 'repl', tls: true, tlsFiles } as const
const broken = (message: string) => ({
  ...channel({ source: 1, io: 'connecting', ioError: { code: 2026, message } }),
  source,
})

describe('refusedFiles', () => {
  for (const [message, file] of [
    ['SSL connection error: Unable to get certificate', 'cert /ssl/cert.pem (replication-ssl-cert)'],
    ['SSL connection error: Unable to get private key', 'key /ssl/key.pem (replication-ssl-key)'],
    ['SSL connection error: SSL_CTX_set_default_verify_paths failed', 'ca /ssl/ca.pem (replication-ssl-ca)'],
    ['SSL connection error: error:0A000086:SSL routines::certificate verify failed', 'ca /ssl/ca.pem'],
  ] as const)
    it(`names the file of: ${message}`, () => {
      expect(refusedFiles(broken(message)))
        .to.include(file)
        .and.include(message)
    })

  for (const [code, message, file] of [
    [2026, 'SSL connection error: error:0A000418:SSL routines::tlsv1 alert unknown ca', 'cert /ssl/cert.pem'],
    [
      2013,
      "error connecting to master 'repl@db1:3306' - retry-time: 1  maximum-retries: 100000  message: Lost connection to server at 'reading authorization packet', system error: 0",
      'cert /ssl/cert.pem',
    ],
    [
      2013,
      "Error connecting to source 'repl@db1:3306'. This was attempt 3/10, with a delay of 1 seconds between attempts. Message: Lost connection to MySQL server during query",
      'cert /ssl/cert.pem',
    ],
  ] as const)
    it(`names the certificate that its source does not accept: ${code} ${message.slice(-60)}`, () => {
      const refused = { ...broken(''), ioError: { code, message } }
      expect(refusedFiles(refused))
        .to.include(`${file} (replication-ssl-cert)`)
        .and.include('another CA')
        .and.include(`Error ${code}: `)
    })

  it('is no lost connection of a source that is down, or of a replica that shows no certificate', () => {
    const lost = (message: string, changes: object = {}) => ({
      ...broken(''),
      ioError: { code: 2013, message },
      source: { ...source, ...changes },
    })
    const down =
      "error connecting to master 'repl@db1:3306' - message: Lost connection to server at 'waiting for initial communication packet'"
    const later =
      "error connecting to master 'repl@db1:3306' - message: Lost connection to server at 'reading authorization packet'"
    expect(refusedFiles(lost(down))).to.equal(undefined)
    expect(refusedFiles(lost('Lost connection to server during query'))).to.equal(undefined)
    expect(refusedFiles(lost(later, { tlsFiles: { ca: '/ssl/ca.pem' } }))).to.equal(undefined)
    expect(refusedFiles(lost(later))).to.be.a('string')
    // As the network is: the source may have closed the connection before the replica has sent its login.
    const sooner = later.replace('reading authorization packet', 'sending authentication information')
    expect(refusedFiles(lost(sooner))).to.include('replication-ssl-cert')
  })

  it('is nothing with another error, or when it receives', () => {
    expect(refusedFiles(channel({ source: 1, io: 'connecting', ioError: { code: 2003, message: '' } }))).to.equal(
      undefined,
    )
    expect(refusedFiles({ ...broken('x'), io: 'running' })).to.equal(undefined)
  })

  it('is the finding ERR00196 of that server', () => {
    const { state, ...db2 } = replica(2)
    const channels = [broken('SSL connection error: Unable to get certificate')]
    const given = situation([primary(), { ...db2, ...(state ? { state: { ...state, channels } } : {}) }])
    const found = given.snapshot.findings.find(({ code }) => code === 'ERR00196')
    expect(found).to.include({ server: 'db2' })
    expect(found?.detail).to.match(/^db2: cert \/ssl\/cert\.pem \(replication-ssl-cert\), on the host of that server/)
  })
})

describe('hasOtherFiles', () => {
  const failing = broken('SSL connection error: Unable to get certificate')
  const given = (changes: Partial<typeof settings>, files?: object) => ({
    settings: { ...settings, ...changes },
    memory: { ...freshMemory, ...(files ? { sourceTls: { used: true, files } } : {}) },
  })

  it('is so where the settings, or replicas that run, have others than those that fail', () => {
    expect(hasOtherFiles(failing, given({ 'replication-ssl-cert': '/ssl/new.pem' }))).to.equal(true)
    expect(hasOtherFiles(failing, given({}, { cert: '/ssl/new.pem' }))).to.equal(true)
    expect(hasOtherFiles(failing, given({}))).to.equal(false)
    const same = { 'replication-ssl-cert': tlsFiles.cert, 'replication-ssl-key': tlsFiles.key }
    expect(hasOtherFiles(failing, given(same, { cert: '/ssl/new.pem' }))).to.equal(false)
    expect(hasOtherFiles({ ...failing, io: 'running' }, given({ 'replication-ssl-cert': '/x' }))).to.equal(false)
  })
})

describe('judgeLeftFiles', () => {
  const { snapshot } = situation([primary(), replica(2)])
  const loss = { command: 'repoint', server: 'db2', message: 'it follows db1 with what it had' } as const
  const wanted = { ...settings, 'replication-ssl-cert': '/no/such.pem' }

  it('is open while a replica runs without the files that it was to get', () => {
    expect(judgeLeftFiles({ losses: [loss] }, snapshot, wanted)).to.deep.equal([
      { code: 'ERR00196', server: 'db2', detail: 'db2: it follows db1 with what it had.' },
    ])
  })

  it('is closed without such a loss, or with settings that name no files', () => {
    expect(judgeLeftFiles({}, snapshot, wanted)).to.deep.equal([])
    expect(judgeLeftFiles({ losses: [loss] }, snapshot, settings)).to.deep.equal([])
  })
})
