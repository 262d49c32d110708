// Every surface that says something about the health of a cluster, asked for what it says, by the words of share/doc/health.md.
import net from 'node:net'
import type { WireCluster } from '../../../http/client/wire.js'
import type { FleetRow, FleetState } from '../../../lib/model/fleet/row.js'
import type { Node } from '../databases/database.js'
import type { Client } from '../http/client.js'
import { ApiUser } from '../manager/api-user.js'
import type { ProtectedCluster } from '../manager/protected-cluster.js'
import { eventually } from '../wait.js'

/** What is true of a cluster. */
export interface Health {
  readonly running: boolean
  readonly up: boolean
  readonly failable: boolean
  readonly healthy: boolean
  readonly primaryDown: boolean
  /** In one word, as views of the fleet show it. */
  readonly state: FleetState
  /** Addresses of the servers that take writes, and of those that may be read from. */
  readonly writers: readonly string[]
  readonly readers: readonly string[]
}

/** By word, what each surface says of it. */
export type Said = { readonly [W in keyof Health]: Readonly<Record<string, unknown>> }

const C = '/api/clusters/story'

interface About extends WireCluster {
  readonly name: string
  readonly isDown: boolean
  readonly isMasterDown: boolean
  readonly isFailable: boolean
}

interface Alerts {
  readonly errors: readonly unknown[]
}

export async function askEverySurface(cluster: ProtectedCluster, client: Client): Promise<Said> {
  const { manager } = cluster
  const open = new ApiUser(manager)
  const about = await manager.get<About>(C)
  const [listed] = await manager.get<readonly About[]>('/api/clusters')
  const alerts = await manager.get<Alerts>(`${C}/topology/alerts`)
  const allAlerts = await manager.get<Alerts>('/api/global/alerts')
  const { alive } = await open.json<{ alive: string }>(`${C}/status`)
  const metric = metricsOf((await open.ask('/api/prometheus')).text)
  const [row] = await manager.get<readonly FleetRow[]>('/api/fleet')
  const streamed = await streamedRow(cluster)
  const health = await open.ask(`${C}/health`)
  const cells = cellsOf((await client.run('cluster', 'list')).stdout)
  const [clientRow] = await client.json<readonly FleetRow[]>('fleet')
  const clientStatus = (await client.run('status', '--cluster', 'story')).stdout.trim()
  const waited = await client.run('wait', '--for', 'healthy', '--timeout', '100ms')
  if (waited.status !== 0 && waited.status !== 7) throw new Error(`wait ended with ${waited.status}: ${waited.stderr}`)
  const writers = await serversOf(cluster, 'primary')
  const readers = await serversOf(cluster, 'replica')
  return {
    running: {
      'GET C/status': alive === 'running',
      'GET C/topology/alerts': alerts.errors.length === 0,
      'GET /api/global/alerts': allAlerts.errors.length === 0,
      'GET /api/fleet': row?.errors === 0,
      'manager_cluster_findings{severity="error"}': metric('manager_cluster_findings', 'severity="error"') === 0,
      'manager-cli status': clientStatus === 'running',
      'manager-cli fleet': clientRow?.errors === 0,
    },
    up: {
      'isDown of C': !about.isDown,
      'isDown of /api/clusters': listed?.isDown === false,
      'GET C/health': health.status === 200,
      'GET /api/fleet': row?.state !== 'down',
      manager_cluster_up: metric('manager_cluster_up') === 1,
      'manager-cli cluster list': cells.DOWN === 'false',
      'role checks': Object.values(writers).every((names) => names.length === 1),
    },
    failable: {
      'isFailable of C': about.isFailable,
      'isFailable of /api/clusters': listed?.isFailable,
      manager_cluster_failable: metric('manager_cluster_failable') === 1,
      'manager-cli cluster list': cells.FAILABLE === 'true',
    },
    healthy: {
      'isHealthy of C': about.isHealthy,
      'isHealthy of /api/clusters': listed?.isHealthy,
      healthFaults: about.healthFaults?.length === 0,
      manager_cluster_healthy: metric('manager_cluster_healthy') === 1,
      'manager-cli cluster list': cells.HEALTHY === 'true',
      'manager-cli wait --for healthy': waited.status === 0,
    },
    primaryDown: { 'isMasterDown of C': about.isMasterDown, 'isMasterDown of /api/clusters': listed?.isMasterDown },
    state: {
      'GET /api/fleet': row?.state,
      'GET /api/fleet/events': streamed?.state,
      'manager-cli fleet': clientRow?.state,
    },
    writers,
    readers,
  }
}

/** Waits until every surface says exactly this. */
export async function expectAgreement(cluster: ProtectedCluster, client: Client, health: Health): Promise<void> {
  let wrong: readonly string[] = []
  await eventually(
    async () => {
      const said = await askEverySurface(cluster, client)
      wrong = (Object.keys(health) as (keyof Health)[]).flatMap((word) =>
        Object.entries(said[word]).flatMap(([surface, value]) =>
          JSON.stringify(value) === JSON.stringify(health[word])
            ? []
            : [`${word}: ${surface} says ${JSON.stringify(value)} where it is ${JSON.stringify(health[word])}`],
        ),
      )
      return wrong.length === 0
    },
    () => `every surface agrees:\n${wrong.join('\n')}\n${cluster.manager.log().slice(-2_000)}`,
  )
}

export const addressOf = ({ host, port }: Pick<Node, 'host' | 'port'>): string => `${host}:${port}`

const words = {
  primary: { check: 'is-master', short: 'primary', older: 'master-status' },
  replica: { check: 'is-slave', short: 'replica', older: 'slave-status' },
} as const

/** The servers that have a role by each way of asking for it. */
async function serversOf(
  { manager, nodes }: ProtectedCluster,
  role: keyof typeof words,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const open = new ApiUser(manager)
  const { check, short, older } = words[role]
  const asked = async (yes: (node: Node) => Promise<boolean>): Promise<readonly string[]> => {
    const answers = await Promise.all(nodes.map(async (node) => ((await yes(node)) ? [addressOf(node)] : [])))
    return answers.flat().sort()
  }
  const is200 = (target: (node: Node) => string) => asked(async (node) => (await open.ask(target(node))).status === 200)
  const line = (port: number) =>
    asked(async (node) => (await askAgent(port, `${role} story ${addressOf(node)}\n`)) === 'ready up\n')
  const ofCluster = (await open.ask(`${C}/${short}`)).headers.get('x-servers')
  return {
    [`S/${check}`]: await is200((node) => `${C}/servers/${addressOf(node)}/${check}`),
    [`S/{serverPort}/${check}`]: await is200(({ host, port }) => `${C}/servers/${host}/${port}/${check}`),
    [`S/${short}`]: await is200((node) => `${C}/servers/${addressOf(node)}/${short}`),
    [`/clusters/…/${older}`]: await is200((node) => `/clusters/story/servers/${addressOf(node)}/${older}`),
    [`C/${short}`]: ofCluster === null ? [] : ofCluster.split(', ').sort(),
    'agent check on http-port': await line(manager.httpPort),
    'agent check on api-port': await line(manager.apiPort),
  }
}

/** The answer to a line as HAProxy sends it. */
const askAgent = (port: number, line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(line))
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      answer += text
    })
    socket.once('error', reject)
    socket.once('close', () => resolve(answer))
  })

/** The value of a metric of the cluster that has one sample, or one with such a label. */
const metricsOf =
  (text: string) =>
  (name: string, label = ''): number | undefined => {
    const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(label))
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
  }

/** The row of the cluster as the dashboard is sent it. */
async function streamedRow({ manager }: ProtectedCluster): Promise<FleetRow | undefined> {
  const opened = await manager.session.open('GET', '/api/fleet/events')
  if (!opened.ok) throw new Error(opened.failure.message)
  let text = ''
  for await (const chunk of opened.value.body) {
    text += String(chunk)
    const [, data] = /event: snapshot\ndata: (.*)\n\n/.exec(text) ?? []
    // Leaving the loop closes the stream.
    if (data !== undefined) return (JSON.parse(data) as { rows: readonly FleetRow[] }).rows[0]
  }
  return undefined
}

/** The first row of a table by its titles; no cell of it is empty up to the one that is read. */
function cellsOf(table: string): Readonly<Record<string, string>> {
  const [titles = [], cells = []] = table.split('\n').map((line) => line.trim().split(/ +/))
  return Object.fromEntries(titles.map((title, index) => [title, cells[index] ?? '']))
}
