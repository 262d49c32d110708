// Thousands of database servers in one child process, which answer probes with what real servers answered: for
// benchmarks and specs of many clusters.
//
//   const fleet = await startFleet({ clusters: 1_000, replicas: 2 })
//   fleet.clusters[7] // [primary, replica, replica], each { host, port, index }
//   await fleet.set(fleet.clusters[7][0], 'down')
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { next } from '../wait.js'
import type { CannedState, FleetRequest } from './fleet-process.js'

export interface FleetServer {
  readonly index: number
  readonly host: string
  readonly port: number
}

export interface Fleet {
  /** Per cluster its servers, the primary first. Any login is accepted. */
  readonly clusters: readonly (readonly FleetServer[])[]
  readonly pid: number
  set(server: FleetServer, state: CannedState): Promise<void>
  /** Milliseconds between two fast probes at a server, of all servers since this was last asked. */
  takeGaps(): Promise<readonly number[]>
  teardown(): Promise<void>
}

export async function startFleet({ clusters, replicas }: FleetRequest): Promise<Fleet> {
  const program = fileURLToPath(new URL('./fleet-process.js', import.meta.url))
  const child = fork(program, [String(clusters), String(replicas)])
  const [{ ports }] = await next<[{ ports: number[] }]>(child, 'message', 'the ports of the servers')
  const servers = ports.map((port, index) => ({ index, host: '127.0.0.1', port }))
  const size = replicas + 1
  return {
    clusters: Array.from({ length: clusters }, (_, cluster) => servers.slice(cluster * size, (cluster + 1) * size)),
    pid: child.pid ?? 0,
    async set({ index }, state) {
      child.send({ index, state })
      await next(child, 'message', `server ${index} is ${state}`)
    },
    async takeGaps() {
      child.send('take-gaps')
      const [gaps] = await next<[readonly number[]]>(child, 'message', 'the gaps')
      return gaps
    },
    async teardown() {
      const gone = next(child, 'exit', 'the end of the servers')
      child.disconnect()
      await gone
    },
  }
}
