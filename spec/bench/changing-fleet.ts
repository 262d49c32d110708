// The fleet of a manager with clusters whose rows change at an even pace, without servers: what its readers cost is left.
import { FleetHub } from '../../actors/manager/fleet/fleet-hub.js'
import { ok } from '../../lib/base/result.js'
import { fleetRowOf } from '../support/http/fleet-rows.js'

const TICK_MS = 50

export function changingFleet(clusters: number, changesASecond: number) {
  const names = Array.from({ length: clusters }, (_none, index) => `c${index + 1}`)
  const versions = new Map(names.map((name) => [name, 0]))
  const rowOf = (name: string, version: number) =>
    fleetRowOf(name, { wps: version * 7, ...(version % 50 === 49 ? { state: 'degraded', lag: 12 } : {}) })
  const etag = (name: string) => `1-${versions.get(name) ?? 0}`
  let at = 0
  let due = 0
  const timer = setInterval(() => {
    for (due += (changesASecond * TICK_MS) / 1_000; due >= 1; due -= 1) {
      const name = names[at++ % clusters] ?? ''
      versions.set(name, (versions.get(name) ?? 0) + 1)
    }
  }, TICK_MS)
  const hub = new FleetHub({
    boot: `bench${Date.now()}`,
    clusters: () => names,
    view: async (name) =>
      ok({ bytes: Buffer.from(JSON.stringify(rowOf(name, versions.get(name) ?? 0))), etag: etag(name), at: 0 }),
    isCurrent: (name, known) => known === etag(name),
    isUp: () => true,
    quarantined: () => new Map(),
    configured: () => ({ mode: 'automatic', flags: [], of: 3, tags: ['prod'] }),
  })
  return { hub, end: () => clearInterval(timer) }
}
