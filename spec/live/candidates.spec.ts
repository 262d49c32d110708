// Stories of candidates that a switchover must know as they are now, not as slow probes read them a while ago.
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { type ProtectedCluster, type ServerView, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { lossless } from '../support/stories/story.js'
import { replicasOf, SWITCHOVER, switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

interface WithChannels {
  readonly replications: readonly Readonly<Record<string, { readonly String: string }>>[]
}

describe('A candidate that replicates less than the primary has', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let candidate: Node

  before(async () => {
    cluster = await startProtectedCluster({ options: lossless, settings: { 'failover-mode': 'manual' } })
    await cluster.ready()
    primary = await cluster.primary()
    ;[candidate] = await replicasOf(cluster)
  })
  after(() => cluster?.destroy())

  for (const [what, set, unset, named, key] of [
    [
      'a filter of schemas',
      "STOP SLAVE; SET GLOBAL replicate_ignore_db='archive'; START SLAVE",
      "STOP SLAVE; SET GLOBAL replicate_ignore_db=''; START SLAVE",
      ...(['replicate_ignore_db', 'replicateIgnoreDb'] as const),
    ],
    [
      'a filter of domains',
      'STOP SLAVE; CHANGE MASTER TO IGNORE_DOMAIN_IDS=(7); START SLAVE',
      'STOP SLAVE; CHANGE MASTER TO IGNORE_DOMAIN_IDS=(); START SLAVE',
      ...(['replicate_ignore_domain_ids', 'replicateIgnoreDomainIds'] as const),
    ],
  ] as const)
    it(`is refused with ${what} that was set a moment ago, and shown with it`, async () => {
      await candidate.sql(set)
      await eventually(async () => (await runs(candidate)) === 'Yes Yes', 'the candidate replicates')
      // A probe may have come between stop and start: the manager refuses for that, until the next one.
      let answer = { status: 0, body: '' }
      await eventually(
        async () => {
          answer = await cluster.manager.post(SWITCHOVER, { prefmaster: `${candidate.host}:${candidate.port}` })
          return answer.status >= 400 && answer.status <= 500 && answer.body.includes(named)
        },
        () => `it is refused for ${named}: ${answer.body}`,
        { over: () => (answer.status === 200 ? 'it is accepted' : undefined) },
      )
      await eventually(
        async () => /^(archive|7)$/.test((await shown(candidate))?.[key]?.String ?? ''),
        `it is shown with ${named}`,
      )
      expect(await cluster.primary()).to.equal(primary)
      expect(await primary.value('SELECT @@read_only')).to.equal('0')
      await candidate.sql(unset)
      await cluster.ready()
    })

  /** Its channel as the API shows it. */
  const shown = async ({ port }: Node) => {
    const servers = await cluster.manager.get<readonly (ServerView & WithChannels)[]>(
      '/api/clusters/story/topology/servers',
    )
    return servers.find((server) => server.port === `${port}`)?.replications[0]
  }

  const runs = async (node: Node): Promise<string> => {
    const [status = {}] = await node.sql('SHOW SLAVE STATUS')
    return `${status.Slave_IO_Running} ${status.Slave_SQL_Running}`
  }
})

describe('A replica that is kept behind', () => {
  let cluster: ProtectedCluster

  before(async () => {
    cluster = await startProtectedCluster({
      options: lossless,
      settings: { 'failover-mode': 'manual', 'replication-delayed-time': 600 },
    })
    await cluster.ready()
  })
  after(() => cluster?.destroy())

  const delayOf = async (node: Node): Promise<string> => {
    const [status = {}] = await node.sql('SHOW SLAVE STATUS')
    return `${status.Master_Port} ${status.SQL_Delay} ${status.Slave_IO_Running}`
  }
  const role = async ({ host, port }: Node, check: string) =>
    (await fetch(`http://127.0.0.1:${cluster.manager.httpPort}/api/clusters/story/servers/${host}:${port}/${check}`))
      .status

  it('keeps its own delay with another source, gets that of the settings at once, and no client is sent to it', async () => {
    const [candidate, behind] = await replicasOf(cluster)
    const { port } = await cluster.primary()
    await behind.sql('STOP SLAVE; CHANGE MASTER TO MASTER_DELAY=300; START SLAVE')
    await eventually(async () => (await delayOf(behind)) === `${port} 300 Yes`, 'it replicates with its delay')
    await eventually(async () => (await cluster.stateOf(behind)) === 'Slave', 'the manager sees it replicate')
    const body = { prefmaster: `${candidate.host}:${candidate.port}` }
    await switchable(cluster, candidate)
    const moved = await cluster.manager.post(SWITCHOVER, body)
    expect(moved.status, moved.body).to.equal(200)
    await eventually(async () => (await delayOf(behind)) === `${candidate.port} 300 Yes`, 'it keeps its delay')
    const listed = await cluster.manager.post(
      `/api/clusters/story/settings/actions/set/replication-delayed-hosts/${behind.host}:${behind.port}`,
    )
    expect(listed.status, listed.body).to.equal(200)
    await eventually(
      async () => (await delayOf(behind)) === `${candidate.port} 600 Yes`,
      'it has the delay of the settings',
    )
    await eventually(async () => (await role(behind, 'is-slave')) !== 200, 'no client is sent there')
    const ranked = async () =>
      (await cluster.explain()).ranking.map(({ eligible, code }) => (eligible ? 'eligible' : code)).sort()
    await eventually(
      async () => (await ranked()).join() === 'ERR00041,eligible',
      'the old primary may take over, and the one that is kept behind may not',
    )
  })
})
