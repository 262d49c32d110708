// The layers that saved changes do not replace: files, environment, flags.
import type { Secret } from '../../base/secret.js'
import { type Configuration, emptyScope, type Scope } from '../configuration/configuration.js'
import type { Fault, RawEntry } from '../configuration/fault.js'
import { type LayerReading, readLayer, stack, without } from '../configuration/layer.js'
import { clusterNameRule, isClusterName } from '../kit/cluster-name.js'
import type { FileReading } from './files.js'

export interface GivenInput {
  readonly files: FileReading
  /** Environment, then flags. */
  readonly invoked: readonly (readonly RawEntry[])[]
  readonly key: Secret | undefined
}

export interface GivenReading {
  readonly configuration: Configuration
  readonly faults: readonly Fault[]
  readonly warnings: readonly Fault[]
  readonly recognised: readonly Fault[]
}

/** Checks every entry. A file without clusters but with `db-servers-hosts` declares one cluster, `default`. */
export function readGiven({ files, invoked, key }: GivenInput): GivenReading {
  const sections = new Map(files.sections)
  const common = readLayer(sections.get('default') ?? [], { scope: 'server', key })
  const overrides = invoked.map((entries) => readLayer(entries, { scope: 'server', key }))
  sections.delete('default')
  const override = stack(...overrides.map(({ layer }) => layer))
  const given = stack(common.layer, override)
  if (sections.size === 0 && given.has('db-servers-hosts')) sections.set('default', [])

  const readings: LayerReading[] = [common, ...overrides]
  const faults: Fault[] = []
  const clusters = new Map<string, Scope>()
  for (const [name, entries] of sections) {
    const reading = readLayer(entries, { scope: 'cluster', key })
    readings.push(reading)
    const place = files.places.get(name)
    if (!isClusterName(name))
      faults.push({
        origin: place ?? { kind: 'file' },
        section: name,
        problem: `no name for a cluster; allowed: ${clusterNameRule}`,
      })
    clusters.set(name, { ...emptyScope, given: without(reading.layer, override) })
  }
  return {
    configuration: { key, server: { ...emptyScope, given }, clusters, removed: new Set() },
    faults: [...faults, ...readings.flatMap((reading) => reading.faults)],
    warnings: readings.flatMap((reading) => reading.warnings),
    recognised: readings.flatMap((reading) => reading.recognised),
  }
}
