// Certificates on real servers: they start with what their archives carry, clients verify them, and while a rotation
// is under way those who have moved and those who have not verify each other.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type ArchiveService, type CertifyAction, createArchiveService } from '../../actors/archive/index.js'
import { sharePath } from '../../lib/base/package-root.js'
import { unwrap } from '../../lib/base/result.js'
import type { ServiceSpec } from '../../lib/model/operation/services.js'
import type { Run } from '../../lib/orchestrator/index.js'
import { createLocalOrchestrator, serverSite } from '../../lib/orchestrator/local/index.js'
import { type Material, makeMaterial } from '../../lib/tls/index.js'
import { mariadb } from '../support/configuration/rules.js'
import { newDirectory } from '../support/machine/directories.js'
import { freePorts } from '../support/machine/ports.js'

const run = promisify(execFile)
const monitor = { user: 'monitor', password: 'secret' }
const uninterrupted: Run = { signal: new AbortController().signal, log: () => {}, force: false }

describe('the certificates of a cluster', () => {
  const workingDir = newDirectory('tls')
  const certificates = { hosts: ['127.0.0.1'] }
  const local = createLocalOrchestrator({ workingDir, cluster: 'demo', monitor, replication: monitor })
  let archives: ArchiveService
  let servers: readonly [ServiceSpec, ServiceSpec]
  let former: Material
  let renewed: Material

  const server = (port: number): ServiceSpec => ({
    ...{ kind: 'database', id: `db${port}1234567`, name: `127.0.0.1:${port}`, host: '127.0.0.1', port },
  })
  const build = async () =>
    unwrap(
      await archives.build(
        servers.map(({ id, host, port }) => ({
          ...{ cluster: 'demo', software: mariadb, certificates, server: { id, host, port } },
          settings: { 'prov-db-memory': 128, 'prov-db-tags': 'row,innodb,ssl' },
          context: { kind: 'local', directory: serverSite(workingDir, 'demo', server(port)).directory },
        })),
      ),
    )
  const certify = async (action: CertifyAction): Promise<Material> => {
    unwrap(await archives.certify({ cluster: 'demo', ...certificates, action }))
    await build()
    return current()
  }
  const current = async (): Promise<Material> => {
    const material = unwrap(await archives.certificates('demo'))
    if (!material) throw new Error('there are no certificates')
    return material
  }
  const restart = async (each: ServiceSpec) => {
    unwrap(await local.stop(each, uninterrupted))
    unwrap(await local.start(each, uninterrupted))
  }
  /** The cipher of a session of the client of MariaDB that trusts `ca` and shows `client`; its complaint otherwise. */
  const connect = async ({ port }: ServiceSpec, { ca, client }: Pick<Material, 'ca' | 'client'>): Promise<string> => {
    const folder = newDirectory('client')
    const file = async (name: string, text: string) => {
      await writeFile(path.join(folder, name), text, { mode: 0o600 })
      return path.join(folder, name)
    }
    const args = [
      ...['--no-defaults', '--protocol=tcp', '--host=localhost', `--port=${port}`, '--ssl-verify-server-cert'],
      ...[`--ssl-ca=${await file('ca.pem', ca)}`, `--ssl-cert=${await file('cert.pem', client.cert)}`],
      ...[`--ssl-key=${await file('key.pem', client.key)}`, `--user=${monitor.user}`, `--password=${monitor.password}`],
      ...['--batch', '--skip-column-names', "--execute=SHOW SESSION STATUS LIKE 'Ssl_cipher'"],
    ]
    return run('mariadb', args).then(
      ({ stdout }) => stdout.split('\t')[1]?.trim() || 'in clear',
      (error: { stderr: string }) => error.stderr.trim(),
    )
  }

  before(async () => {
    archives = unwrap(await createArchiveService({ rulesDir: sharePath('rules/database'), workingDir }))
    const [one = 0, two = 0] = await freePorts(2)
    servers = [server(one), server(two)]
    await build()
    former = await current()
    for (const result of await Promise.all(servers.map((each) => local.provision(each, uninterrupted)))) unwrap(result)
  })
  after(async () => {
    await Promise.all((servers ?? []).map((each) => local.unprovision(each, uninterrupted)))
    await archives?.close()
  })

  it('are what servers start with and clients verify', async () => {
    for (const each of servers) expect(await connect(each, former)).to.match(/^TLS_|^ECDHE/)
  })

  it('are refused by a client that trusts another authority', async () => {
    const stranger = await makeMaterial({ cluster: 'x', hosts: [] }, Date.now())
    expect(await connect(servers[0], { ...former, ca: stranger.ca })).to.match(/certificate/)
  })

  it('are verified both ways while one server has moved to the new authority and the other has not', async () => {
    renewed = await certify('rotate')
    await restart(servers[0])
    for (const each of servers)
      for (const [who, client] of Object.entries({ moved: renewed, 'not moved': former }))
        expect(await connect(each, client), `${who} to ${each.port}`).to.match(/^TLS_|^ECDHE/)
  })

  it('are trusted no more under the former authority once that is retired', async () => {
    await restart(servers[1])
    const retired = await certify('retire')
    for (const each of servers) await restart(each)
    for (const each of servers) expect(await connect(each, retired)).to.match(/^TLS_|^ECDHE/)
    expect(await connect(servers[0], former)).to.match(/certificate/)
  })
})
