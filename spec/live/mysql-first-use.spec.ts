// A MySQL server without TLS and without a pinned key: the key that it shows first is remembered, another one is refused until it is accepted.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { keyFingerprint } from '../../lib/connect/sql/known-keys.js'
import type { Node } from '../support/databases/node.js'
import { findVersion } from '../support/databases/versions.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const CHANGED = 'ERR00183'
const mysql = await findVersion('mysql-9')

if (!mysql.available) absent('the keys of MySQL 9', mysql.reason)
else
  describe('the RSA key of a MySQL server', () => {
    let cluster: ProtectedCluster
    let admin: ApiUser
    let node: Node
    before(async () => {
      cluster = await startProtectedCluster({
        ...{ count: 1, software: 'mysql-9', options: [...durable], arrange: async () => undefined },
        settings: { 'db-servers-public-keys': '', 'failover-mode': 'manual' },
      })
      node = cluster.databases.node(0)
      admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    })
    after(() => end(cluster))

    const keyFile = (name: 'private' | 'public'): string => path.join(node.dir, 'data', `${name}_key.pem`)
    const key = (): string => keyFingerprint(readFileSync(keyFile('public'), 'utf8'))
    const remembered = (): readonly string[] => {
      const directory = path.join(cluster.manager.dataDirectory, 'story/public-keys')
      return readdirSync(directory).map((name) => readFileSync(path.join(directory, name), 'utf8').trim())
    }
    const isSeen = () =>
      eventually(
        async () => (await cluster.stateOf(node)) === 'Master',
        () => `the server is seen\n${cluster.manager.log().slice(-2_000)}`,
      )
    const detail = async (): Promise<string> => {
      const { errors } = await cluster.manager.get<{ errors: readonly { number: string; desc: string }[] }>(
        '/api/clusters/story/topology/alerts',
      )
      return errors.find(({ number }) => number === CHANGED)?.desc ?? ''
    }
    const accept = (fingerprint: string): Promise<string> =>
      admin.line(`/api/clusters/story/servers/${cluster.addressOf(node)}/actions/accept-public-key/${fingerprint}`, {
        method: 'POST',
      })
    let first = ''

    it('is remembered at the first login', async () => {
      await isSeen()
      first = key()
      expect(remembered()).to.deep.equal([first])
      expect(await cluster.alerts()).to.not.include.members(['WARN0252'])
    })

    it('is the same after a restart of both, and the manager logs in', async () => {
      await cluster.manager.end('SIGTERM')
      await node.stop()
      node.start()
      await node.waitUp()
      cluster.manager.start()
      await cluster.manager.alive()
      await isSeen()
      expect(remembered()).to.deep.equal([first])
    })

    it('gets no password when it is another one; the finding names both', async () => {
      await node.stop()
      for (const name of ['private', 'public'] as const) rmSync(keyFile(name))
      node.start()
      await node.waitUp()
      await cluster.opens(CHANGED)
      expect(key()).to.not.equal(first)
      expect(await detail()).to.include(`SHA-256 ${key()} instead of ${first}`)
      expect(remembered()).to.deep.equal([first])
    })

    it('gets none from a manager that was started since', async () => {
      await cluster.manager.end('SIGKILL')
      cluster.manager.start()
      await cluster.manager.alive()
      admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
      await cluster.opens(CHANGED)
      expect(remembered()).to.deep.equal([first])
    })

    it('counts as soon as its fingerprint is accepted, and no other one does', async () => {
      expect(await accept('no-fingerprint')).to.match(/^400 /)
      expect(await accept('ab'.repeat(32))).to.equal('200 ')
      await eventually(async () => (await detail()).includes(`instead of ${'ab'.repeat(32)}`), 'another one is named')
      expect(await accept(key())).to.equal('200 ')
      await isSeen()
      await cluster.closes(CHANGED)
      expect(remembered()).to.deep.equal([key()])
    })
  })
