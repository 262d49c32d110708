// The unit families of a statement: what one unit holds, and how many units sizes and bytes need. Pure.

/** Every family, in the order of a statement. */
export const unitFamilies = ['dbu', 'stateful_dbu', 'apu', 'bku', 'bau'] as const

export type UnitFamily = (typeof unitFamilies)[number]

/** One value for each family. */
export type PerFamily<T> = Readonly<Record<UnitFamily, T>>

interface FamilyRow {
  /** The unit as people write it. */
  readonly unit: string
  /** What is counted in it. */
  readonly title: string
}

export const familyRows: PerFamily<FamilyRow> = {
  dbu: { unit: 'DBU', title: 'database servers' },
  stateful_dbu: { unit: 'DBU', title: 'stateful applications' },
  apu: { unit: 'APU', title: 'applications and proxies' },
  bku: { unit: 'BKU', title: 'local backups' },
  bau: { unit: 'BAU', title: 'archives' },
}

/** A value for each family, made from its name. */
export const perFamily = <T>(make: (family: UnitFamily) => T): PerFamily<T> =>
  Object.fromEntries(unitFamilies.map((family) => [family, make(family)])) as Record<UnitFamily, T>

/** Resources of one service; what a family does not count is absent. */
export interface Size {
  readonly cores: number
  readonly memoryMb: number
  readonly diskGb?: number
  readonly iops?: number
}

/** What one unit of a service holds (interface facts, "Units"). */
export const bundles = {
  dbu: { cores: 1, memoryMb: 4096, diskGb: 40, iops: 1000 },
  apu: { cores: 1, memoryMb: 2048 },
} as const satisfies Readonly<Record<string, Size>>

/** Bytes of one unit of storage: BKU and BAU. */
const STORAGE_UNIT = 20 * 1024 ** 3

/** More units than any cluster has: keeps the integrals of a month exact in doubles. */
const MOST_UNITS = 1_000_000

const whole = (units: number): number => Math.min(MOST_UNITS, Math.max(0, Math.ceil(units)))

/** Whole units that one service of this size needs: the axis that needs most decides; at least 1. */
export function unitsOfService(kind: keyof typeof bundles, size: Size): number {
  const bundle: Size = bundles[kind]
  const axes = [
    size.cores / bundle.cores,
    size.memoryMb / bundle.memoryMb,
    (size.diskGb ?? 0) / (bundle.diskGb ?? Number.POSITIVE_INFINITY),
    (size.iops ?? 0) / (bundle.iops ?? Number.POSITIVE_INFINITY),
  ]
  return whole(Math.max(1, ...axes))
}

/** Whole units of storage that hold these bytes; 0 for none. */
export const unitsOfStorage = (bytes: number): number => whole(bytes / STORAGE_UNIT)

/** What a cluster has and uses at one instant, as its actor reports it. */
export interface Usage {
  /** Monitored, and those of them that answered the latest probe. */
  readonly databases: { readonly all: number; readonly running: number }
  readonly proxies: { readonly all: number; readonly running: number }
  /** Bytes of backups on the local disk, and of those archived elsewhere. */
  readonly localBytes: number
  readonly archivedBytes: number
}

/** What one cluster is sold, by its settings. */
export interface Terms {
  /** Units per database, proxies and backups of the cluster; 0: no plan, it is billed by use. */
  readonly plan: { readonly dbu: number; readonly apu: number; readonly bku: number }
  readonly database: Size
  readonly proxy: Size
}

/** Units of one family at one instant. */
export interface Quantity {
  readonly plan: number
  readonly billable: number
}

/**
 * The units of each family. A database or proxy that runs counts the units of its declared size, one that is down none. A family
 * without a plan has what is used as its plan: nothing is over or under it.
 */
export function readQuantities(usage: Usage, { plan, database, proxy }: Terms): PerFamily<Quantity> {
  const used: PerFamily<number> = {
    dbu: whole(usage.databases.running * unitsOfService('dbu', database)),
    stateful_dbu: 0, // the manager runs no applications
    apu: whole(usage.proxies.running * unitsOfService('apu', proxy)),
    bku: unitsOfStorage(usage.localBytes),
    bau: unitsOfStorage(usage.archivedBytes),
  }
  const planned: PerFamily<number> = {
    ...{ dbu: whole(plan.dbu * usage.databases.all), apu: whole(plan.apu), bku: whole(plan.bku) },
    ...{ stateful_dbu: 0, bau: 0 },
  }
  return perFamily((family) => ({ plan: planned[family] || used[family], billable: used[family] }))
}

export const overOf = ({ plan, billable }: Quantity): number => Math.max(0, billable - plan)

export const underOf = ({ plan, billable }: Quantity): number => Math.max(0, plan - billable)
