// Probes cannot distinguish canned servers from real ones.
import { expect } from 'chai'
import '../run/alone.js'
import { unwrap } from '../../../lib/base/result.js'
import { createProbe, type ServerProbe } from '../../../lib/probe/probe.js'
import { eventually } from '../wait.js'
import { type Fleet, type FleetServer, startFleet } from './fleet.js'

/** Times of two processes differ by their rounding at least. */
const ROUNDED_MS = 1

describe('startFleet', () => {
  let fleet: Fleet
  let probes: ServerProbe[]
  const probe = ({ host, port, index }: FleetServer) =>
    createProbe({
      server: `db${index + 1}`,
      target: { host, port, user: 'any', password: 'any', connectTimeoutMs: 20_000 },
    })
  const server = (cluster: number, index: number): FleetServer => {
    const found = fleet.clusters[cluster]?.[index]
    if (!found) throw new Error('no such server')
    return found
  }
  before(async () => {
    fleet = await startFleet({ clusters: 100, replicas: 2 })
    probes = fleet.clusters.flat().map(probe)
  })
  after(async () => {
    for (const each of probes) each.close()
    await fleet.teardown()
  })

  it('answers fast probes as primaries and their replicas', async () => {
    const readings = await Promise.all(probes.map((each) => each.check(20_000)))
    expect(readings.map(({ observation }) => observation)).to.deep.equal(Array(300).fill('answered'))
    expect(readings.map(({ state }) => state?.serverNumber)).to.deep.equal(Array.from({ length: 300 }, (_, n) => n + 1))
    for (const [index, { state }] of readings.entries()) {
      const [source] = fleet.clusters[Math.floor(index / 3)] ?? []
      const expected = index % 3 === 0 ? [] : [{ port: source?.port, io: 'running', sql: 'running' }]
      expect(state?.channels.map(({ source, io, sql }) => ({ port: source.port, io, sql }))).to.deep.equal(expected)
      expect(state?.readOnly).to.equal(index % 3 !== 0)
    }
  })

  it('answers slow probes', async () => {
    const prober = probe(server(1, 0))
    probes.push(prober)
    const reading = unwrap(await prober.slow(20_000))
    expect(reading.variables.names.length).to.be.above(500)
    expect(reading.dumpThreads).to.equal(1)
    expect(reading.grants?.replication.names).to.deep.equal(['REPLICATION SLAVE'])
  })

  it('lets heartbeats arrive', async () => {
    const beats = async () => (await probes[1]?.check(20_000))?.state?.channels[0]?.heartbeats ?? 0
    const first = await beats()
    await eventually(async () => (await beats()) > first, 'a heartbeat arrives')
  })

  it('gives the time between fast probes', async () => {
    const prober = probe(server(2, 0))
    probes.push(prober)
    const first = await prober.check(20_000)
    await fleet.takeGaps()
    // Of other servers, so that time passes.
    for (const other of probes.slice(10, 30)) await other.check(20_000)
    await fleet.takeGaps()
    const second = await prober.check(20_000)
    const gaps = await fleet.takeGaps()
    expect(gaps).to.have.length(1)
    // It is reached after the first probe began and before that ended, and the same with the second.
    const most = second.at - (first.at - first.tookMs)
    const least = second.at - second.tookMs - first.at
    expect(gaps[0]).to.be.within(least - ROUNDED_MS, most + ROUNDED_MS)
  })

  it('hangs and dies on request, and comes back', async () => {
    const prober = probe(server(5, 0))
    probes.push(prober)
    const observed = async (limitMs = 20_000) => (await prober.check(limitMs)).observation
    expect(await observed()).to.equal('answered')
    await fleet.set(server(5, 0), 'hung')
    expect(await observed(200)).to.equal('silent')
    await fleet.set(server(5, 0), 'down')
    expect(await observed()).to.equal('refused')
    await fleet.set(server(5, 0), 'up')
    expect(await observed()).to.equal('answered')
  })
})
