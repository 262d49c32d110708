// The archive pool on real threads: what it writes is what tar reads, equal input gives equal bytes, faults are reported.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { list, type ReadEntry } from 'tar'
import {
  type ArchiveInput,
  type ArchiveService,
  type CertifyAction,
  createArchiveService,
} from '../../../actors/archive/index.js'
import { sharePath } from '../../../lib/base/package-root.js'
import { type Result, unwrap } from '../../../lib/base/result.js'
import { missingHosts } from '../../../lib/tls/index.js'
import { mariadb, treeFor } from '../../support/configuration/rules.js'
import { makeAuthority } from '../../support/machine/authority.js'
import { newDirectory } from '../../support/machine/directories.js'
import { eventually } from '../../support/wait.js'

const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code)
const messageOf = (result: Result<unknown>) => (result.ok ? '' : result.failure.message)

describe('createArchiveService', () => {
  const services: ArchiveService[] = []
  const open = async (workingDir = newDirectory('archives'), trees = true) => {
    const service = unwrap(await createArchiveService({ rulesDir: sharePath('rules/database'), workingDir, trees }))
    services.push(service)
    return { service, workingDir }
  }
  /** Writes nothing once a build has ended: no tree follows. */
  const openAlone = () => open(newDirectory('archives'), false)
  after(() => Promise.all(services.map((service) => service.close())))

  const settings = { 'prov-db-memory': 256 }
  const request = (port: number, more: Partial<ArchiveInput> = {}): ArchiveInput => ({
    ...{ cluster: 'demo', software: mariadb, settings, context: { kind: 'container' } },
    server: { id: 'db4711081512345678', host: '127.0.0.1', port },
    ...more,
  })
  const address = (port: number) => ({ host: '127.0.0.1', port })

  it('packs the tree of the rules: node-tar and tar read the same entries back', async () => {
    const { service } = await open()
    await service.build([request(3306)])
    const { file } = unwrap(await service.file('demo', address(3306)))

    const entries = new Map<string, ReadEntry>()
    await list({ file, strict: true, onReadEntry: (entry) => entries.set(entry.path.replace(/\/$/, ''), entry) })
    const tree = treeFor({ settings })
    expect([...entries.keys()].toSorted()).to.deep.equal(tree.map((entry) => entry.path).toSorted())
    for (const entry of tree) {
      const packed = entries.get(entry.path)
      if (entry.kind === 'link') expect(packed?.linkpath).to.equal(entry.target)
      if (entry.kind !== 'link') expect(packed?.mode).to.equal(entry.mode)
      if (entry.kind === 'file') {
        const text = execFileSync('tar', ['-xzOf', file, entry.path]).toString()
        expect(text, entry.path).to.equal(entry.text)
      }
    }
    execFileSync('gzip', ['-t', file])
  })

  it('gives equal bytes for equal input, in another process or folder too', async () => {
    const [one, two] = [await open(), await open()]
    await one.service.build([request(3306), request(3307)])
    await two.service.build([request(3307)])
    const [first, second] = [
      unwrap(await one.service.file('demo', address(3307))),
      unwrap(await two.service.file('demo', address(3307))),
    ]
    expect(first.bytes.equals(second.bytes)).to.equal(true)
    expect(first.etag).to.equal(second.etag)
    await one.service.build([request(3307)], { force: true })
    expect(unwrap(await one.service.file('demo', address(3307))).bytes.equals(first.bytes)).to.equal(true)
  })

  it('builds nothing for unchanged input, also after a restart, and everything when forced', async () => {
    const { service, workingDir } = await open()
    const all = [request(3306), request(3307)]
    expect(unwrap(await service.build(all))).to.deep.equal({ built: 2, unchanged: 0 })
    const before = await stat(path.join(workingDir, 'demo/127.0.0.1_3306/config.tar.gz'))
    expect(unwrap(await service.build(all))).to.deep.equal({ built: 0, unchanged: 2 })
    const restarted = await open(workingDir)
    expect(unwrap(await restarted.service.build(all))).to.deep.equal({ built: 0, unchanged: 2 })
    expect((await stat(path.join(workingDir, 'demo/127.0.0.1_3306/config.tar.gz'))).ino).to.equal(before.ino)
    expect(unwrap(await service.build(all, { force: true }))).to.deep.equal({ built: 2, unchanged: 0 })
  })

  for (const [what, changed] of [
    ['a resource', { settings: { 'prov-db-memory': 512 } }],
    ['the tags', { settings: { ...settings, 'prov-db-tags': 'row' } }],
    ['the software', { software: { flavour: 'mysql' } }],
    ['the address', { server: { id: 'db4711081512345678', host: '127.0.0.1', port: 3306 }, cluster: 'demo2' }],
  ] as const)
    it(`builds again for a change of ${what}`, async () => {
      const { service } = await open()
      await service.build([request(3306)])
      expect(unwrap(await service.build([request(3306, changed)])).built).to.equal(1)
    })

  it('builds many clusters and servers in one call', async () => {
    const { service } = await open()
    const requests = Array.from({ length: 40 }, (_, index) => request(3306 + index, { cluster: `c${index % 2}` }))
    expect(unwrap(await service.build(requests)).built).to.equal(40)
    expect(codeOf(await service.file('c1', address(3345)))).to.equal('ok')
  })

  it('writes the tree beside the archive when asked', async () => {
    const { service, workingDir } = await open()
    await service.build([request(3306, { tree: true })])
    const init = path.join(workingDir, 'demo/127.0.0.1_3306/init')
    expect(await readFile(path.join(init, 'etc/mysql/my.cnf'), 'utf8')).to.match(/^# Generated by manager/)
    expect(await readFile(path.join(init, 'etc/mysql/rc.d/20_row.cnf'), 'utf8')).to.include('binlog_format = ROW')
    expect(await readdir(path.join(init, 'data/.system'))).to.include.members(['innodb', 'aria', 'repl', 'logs'])
  })

  it('writes the tree of a container or a package behind, and leaves that of a local server to its start', async () => {
    const { service, workingDir } = await open()
    const directory = path.join(workingDir, 'demo/127.0.0.1_3307')
    await service.build([request(3306), request(3307, { context: { kind: 'local', directory } })])
    const file = path.join(workingDir, 'demo/127.0.0.1_3306/init/etc/mysql/my.cnf')
    await eventually(() => existsSync(file), `${file} is written`)
    expect(existsSync(path.join(directory, 'init'))).to.equal(false)
  })

  it('keeps the overlays of each server beside its archive, and packs what they hold into custom.d', async () => {
    const { service, workingDir } = await open()
    await service.build([request(3306), request(3307)])
    const folder = path.join(workingDir, 'demo/127.0.0.1_3306')
    expect(await readdir(folder)).to.include.members([
      ...['01_preserved.cnf', '02_delta.cnf', '03_agreed.cnf', 'preserved_variables.cnf', 'config.tar.gz'],
    ])
    const custom = (name: string) =>
      execFileSync('tar', ['-xzOf', path.join(folder, 'config.tar.gz'), `etc/mysql/custom.d/${name}.cnf`]).toString()
    await writeFile(path.join(folder, '02_delta.cnf'), '[mysqld]\nback_log = 5\n')
    await writeFile(path.join(folder, '01_preserved.cnf'), '[mysqld]\nport = 7\n')
    expect(unwrap(await service.build([request(3306), request(3307)]))).to.deep.equal({ built: 1, unchanged: 1 })
    expect(custom('02_delta')).to.equal('[mysqld]\nback_log = 5\n')

    const shared = '# back_log.exclude = 127.0.0.1:3307\n[mysqld]\nback_log = 9\n'
    await writeFile(path.join(workingDir, 'demo/preserved_variables.cnf'), shared)
    expect(unwrap(await service.build([request(3306), request(3307)])).built).to.equal(1)
    expect(custom('01_preserved')).to.equal(`${shared}\n[mysqld]\nport = 7\n`)
  })

  it('leaves positions of replication out of custom.d, and says so in the file: they are state', async () => {
    const { service, workingDir } = await open()
    await service.build([request(3306)])
    const folder = path.join(workingDir, 'demo/127.0.0.1_3306')
    const text = '[mysqld]\nloose_gtid_slave_pos = 0-1-7\nback_log = 5\ngtid-purged="0a-1:1-9"\n'
    for (const name of ['01_preserved', '03_agreed']) await writeFile(path.join(folder, `${name}.cnf`), text)
    await writeFile(path.join(workingDir, 'demo/preserved_variables.cnf'), '[mysqld]\ngtid_binlog_state = 0-1-7\n')
    expect(unwrap(await service.build([request(3306)])).built).to.equal(1)
    for (const name of ['01_preserved', '03_agreed']) {
      const entry = `etc/mysql/custom.d/${name}.cnf`
      const written = execFileSync('tar', ['-xzOf', path.join(folder, 'config.tar.gz'), entry]).toString()
      const set = written.split('\n').filter((line) => /^[a-z]/.test(line))
      expect(set, name).to.deep.equal(['back_log = 5'])
      expect(written).to.include(
        '# left out: a position of replication is state, not configuration: loose_gtid_slave_pos',
      )
    }
    expect(await readFile(path.join(folder, '01_preserved.cnf'), 'utf8')).to.equal(text)
  })

  it('refuses an overlay that would keep the server from starting, and names file and line', async () => {
    const { service, workingDir } = await open()
    await service.build([request(3306)])
    const file = path.join(workingDir, 'demo/127.0.0.1_3306/03_agreed.cnf')
    await writeFile(file, '# no group\nback_log = 5\n')
    const before = unwrap(await service.file('demo', address(3306)))
    expect(messageOf(await service.build([request(3306)]))).to.contain(`${file}: line 2 is above the first group`)
    expect(unwrap(await service.file('demo', address(3306))).bytes.equals(before.bytes)).to.equal(true)
  })

  describe('with certificates', () => {
    const certificates = { hosts: ['127.0.0.1', 'db2'] }
    const certified = (port: number) => request(port, { certificates })
    const pem = (file: string, name: string) => execFileSync('tar', ['-xzOf', file, `etc/mysql/ssl/${name}`]).toString()

    it('carries those of its cluster, the same for all its servers, and never the key of the authority', async () => {
      const { service } = await open()
      await service.build([certified(3306), certified(3307)])
      const [one, two] = [
        unwrap(await service.file('demo', address(3306))).file,
        unwrap(await service.file('demo', address(3307))).file,
      ]
      const material = unwrap(await service.certificates('demo'))
      expect(pem(one, 'server-key.pem')).to.equal(material?.server.key)
      expect(pem(two, 'ca-cert.pem')).to.equal(material?.ca)
      const listed = execFileSync('tar', ['-tvzf', one]).toString()
      expect(listed)
        .to.match(/-rw------- root.*server-key\.pem/)
        .and.not.contain('ca-key')
    })

    it('makes none twice: not for unchanged hosts, not after a restart', async () => {
      const { service, workingDir } = await open()
      await service.build([certified(3306)])
      const before = unwrap(await service.certificates('demo'))
      expect(unwrap(await service.build([certified(3306)])).built).to.equal(0)
      const restarted = await open(workingDir)
      expect(unwrap(await restarted.service.build([certified(3306)])).built).to.equal(0)
      expect(unwrap(await restarted.service.certificates('demo'))).to.deep.equal(before)
    })

    it('are extended for a host that joins', async () => {
      const { service } = await open()
      await service.build([certified(3306)])
      const before = unwrap(await service.certificates('demo'))
      await service.build([request(3306, { certificates: { hosts: [...certificates.hosts, 'db3'] } })])
      const after = unwrap(await service.certificates('demo'))
      expect(after?.ca).to.equal(before?.ca)
      expect(after && missingHosts(after, ['db3'])).to.deep.equal([])
    })

    it('are others after a rotation, and the archives follow', async () => {
      const { service } = await open()
      await service.build([certified(3306)])
      const ask = (action: CertifyAction) => service.certify({ cluster: 'demo', ...certificates, action })
      expect(messageOf(await ask('retire'))).to.equal('demo trusts no former authority')
      expect(unwrap(await ask('rotate')).changed).to.equal(true)
      expect(unwrap(await service.build([certified(3306)])).built).to.equal(1)
      const { file } = unwrap(await service.file('demo', address(3306)))
      expect(pem(file, 'ca-cert.pem').match(/BEGIN CERTIFICATE/g)).to.have.lengthOf(2)
      expect(unwrap(await ask('retire')).changed).to.equal(true)
      expect(unwrap(await service.build([certified(3306)])).built).to.equal(1)
      expect(pem(file, 'ca-cert.pem').match(/BEGIN CERTIFICATE/g)).to.have.lengthOf(1)
    })

    it('come from files where these are named, and a bad one leaves those before in force', async () => {
      const { service } = await open()
      await service.build([certified(3306)])
      const authority = await makeAuthority()
      const pair = await authority.issue('DNS:db1')
      const files = { ca: authority.caFile, serverCert: pair.certFile, serverKey: pair.keyFile }
      const given = { hosts: certificates.hosts, files }
      const build = () => service.build([request(3306, { certificates: given })])
      const ask = (action: CertifyAction) => service.certify({ cluster: 'demo', ...given, action })
      await build()
      const { file } = unwrap(await service.file('demo', address(3306)))
      expect(pem(file, 'server-cert.pem')).to.equal(pair.cert)
      expect(messageOf(await ask('rotate'))).to.contain('replace those and reload')

      const other = await (await makeAuthority()).issue('DNS:db1')
      await writeFile(pair.certFile, other.cert)
      await writeFile(pair.keyFile, other.key)
      const refused = await ask('reload')
      expect(codeOf(refused)).to.equal('bad-certificate')
      expect(messageOf(refused)).to.equal(`${pair.certFile}: server certificate: the CA certificate did not sign it`)
      expect(unwrap(await service.certificates('demo'))?.server.cert).to.equal(pair.cert)
      const renewed = await authority.issue('DNS:db1')
      await writeFile(pair.certFile, renewed.cert)
      await writeFile(pair.keyFile, renewed.key)
      expect(unwrap(await ask('reload')).changed).to.equal(true)
      expect(unwrap(await build()).built).to.equal(1)
      expect(pem(file, 'server-cert.pem')).to.equal(renewed.cert)
    })

    it('that are damaged stop the archives of their cluster only, until they are rotated', async () => {
      const { service, workingDir } = await open()
      await service.build([certified(3306)])
      await rm(path.join(workingDir, 'demo/ssl/server-cert.pem'))
      const restarted = await open(workingDir)
      const other = request(3306, { cluster: 'other', certificates })
      const refused = await restarted.service.build([certified(3306), other])
      expect(messageOf(refused)).to.match(/^1 of 2 .*demo\/ssl: .*server-cert\.pem/)
      expect(codeOf(await restarted.service.file('other', address(3306)))).to.equal('ok')
      const rotated = await restarted.service.certify({ cluster: 'demo', ...certificates, action: 'rotate' })
      expect(unwrap(rotated).changed).to.equal(true)
      expect(unwrap(await restarted.service.build([certified(3306)])).built).to.equal(1)
    })
  })

  it('leaves no temporary file, and lets only its owner read an archive', async () => {
    const { service, workingDir } = await openAlone()
    await service.build([request(3306)])
    const folder = path.join(workingDir, 'demo/127.0.0.1_3306')
    expect((await readdir(folder)).filter((name) => name.includes('tmp'))).to.deep.equal([])
    expect((await stat(path.join(folder, 'config.tar.gz'))).mode & 0o777).to.equal(0o600)
  })

  it('replaces a damaged archive', async () => {
    const { service, workingDir } = await open()
    const folder = path.join(workingDir, 'demo/127.0.0.1_3306')
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'config.tar.gz'), 'half of somethi')
    expect(unwrap(await service.build([request(3306)])).built).to.equal(1)
  })

  it('names the servers it cannot build and builds the others', async () => {
    const { service, workingDir } = await open()
    await mkdir(path.join(workingDir, 'demo'), { recursive: true })
    await writeFile(path.join(workingDir, 'demo/127.0.0.1_3306'), 'a file where a folder must be')
    const bad = request(3307, { settings: { 'prov-db-memory': 'much' } })
    const result = await service.build([request(3306), bad, request(3308)])
    expect(codeOf(result)).to.equal('archive-failed')
    expect(messageOf(result)).to.match(/^2 of 3 .*127\.0\.0\.1:3307: prov-db-memory.*127\.0\.0\.1_3306/)
    expect(codeOf(await service.file('demo', address(3308)))).to.equal('ok')
  })

  it('refuses names that lead out of the working folder', async () => {
    const { service } = await open()
    const result = await service.build([request(3306, { cluster: '..' }), request(3306, { cluster: 'a/b' })])
    expect(messageOf(result)).to.match(/^2 of 2 .*no name for a folder/)
  })

  it('answers archive-missing for a server without archive', async () => {
    const { service, workingDir } = await openAlone()
    await service.build([request(3306)])
    await rm(path.join(workingDir, 'demo'), { recursive: true })
    expect(codeOf(await service.file('demo', address(3306)))).to.equal('archive-missing')
  })

  it('lists every fault of its rules instead of starting', async () => {
    const rulesDir = newDirectory('rules')
    await writeFile(path.join(rulesDir, 'own.yaml'), 'one: { category: log }\ntwo: 5\n')
    const result = await createArchiveService({ rulesDir, workingDir: rulesDir })
    expect(codeOf(result)).to.equal('bad-configuration')
    expect(messageOf(result)).to.match(/own\.yaml:1: one: doc has no documentation.*\n[\s\S]*own\.yaml:2: two: /)
  })
})
