// Memory, processors and disk of a running server, as the settings that reproduce its configuration.
import { counted } from '../../base/counted.js'
import type { Resources } from '../facts/resources.js'
import { LEAST_MEMORY_MB } from '../facts/resources.js'
import type { Shown } from './table.js'

/** A setting derived from a server's figures. */
export interface ProposedSetting {
  readonly name:
    | 'prov-db-memory'
    | 'prov-db-cores'
    | 'prov-db-iops'
    | 'prov-db-max-connections'
    | 'prov-db-expire-log-days'
  readonly value: number
  readonly evidence: string
}

const MB = 1024 * 1024
const SECONDS_A_DAY = 86_400

/** Sizes that count as memory of the server, bytes. */
const caches = [
  ...['innodb_buffer_pool_size', 'innodb_log_buffer_size', 'key_buffer_size', 'query_cache_size'],
  ...['aria_pagecache_buffer_size', 'tokudb_cache_size', 'rocksdb_block_cache_size', 's3_pagecache_buffer_size'],
] as const

/** The settings derived from the figures of one server, without those it does not report. */
export function proposeResources({ variables }: Shown, resources: Resources): readonly ProposedSetting[] {
  const number = (name: string): number => Number(variables[name] ?? Number.NaN)
  const sizes = caches.flatMap((name) => (number(name) > 0 ? [[name, number(name)] as const] : []))
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  const sum = sizes.map(([name, size]) => `${name} = ${size}`).join(', ')
  const days = number('expire_logs_days') || Math.floor(number('binlog_expire_logs_seconds') / SECONDS_A_DAY)
  const whole = (name: ProposedSetting['name'], source: string, most: number): readonly ProposedSetting[] => {
    const value = number(source)
    return Number.isInteger(value) && value >= 1 && value <= most
      ? [{ name, value, evidence: `${source} = ${value}` }]
      : []
  }
  return [
    ...(bytes > 0 ? [{ name: 'prov-db-memory' as const, value: memoryFor(bytes / MB, resources), evidence: sum }] : []),
    ...whole('prov-db-cores', 'thread_pool_size', 4096),
    ...whole('prov-db-iops', 'innodb_io_capacity_max', 100_000_000),
    ...whole('prov-db-max-connections', 'max_connections', 100_000),
    ...(days >= 1
      ? [{ name: 'prov-db-expire-log-days' as const, value: Math.floor(days), evidence: counted(days, 'day') }]
      : []),
  ]
}

/**
 * The memory, MB, of which the engines' shares come to `cachesMb`: the threads have a separate share, and a part
 * is kept for the server itself, as the split of the memory does it.
 */
export function memoryFor(cachesMb: number, { sharedPct }: Pick<Resources, 'sharedPct'>): number {
  const sum = Math.max(
    100,
    Object.values(sharedPct).reduce((total, each) => total + each, 0),
  )
  const threads = ((sharedPct.threads ?? 0) * 100) / sum
  const usable = Math.ceil((cachesMb * 100) / Math.max(1, 100 - threads))
  const quarter = Math.ceil(usable / 3)
  return Math.max(LEAST_MEMORY_MB, usable + Math.min(2048, quarter))
}
