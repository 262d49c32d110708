// Which families an exposition has: by the settings, and by what a scrape asks for.
import { STATUS_PREFIX, VARIABLE_PREFIX } from './families.js'
import { usualStatus, usualVariables } from './usual.js'

/** Plain data: it crosses threads. */
export interface Selection {
  /** `all` adds every numeric status and variable of the servers: up to a thousand families. */
  readonly names: 'usual' | 'all'
  /** Beginnings of further families, exported besides the usual ones. */
  readonly also: readonly string[]
  /** Only families that begin with one of these; undefined: no such limit. */
  readonly only?: readonly string[]
}

/** What a scrape asks for in its query. */
export interface ScrapeRequest {
  /** `?full`: everything, whatever the settings say. */
  readonly full?: boolean
  /** `?only=`: beginnings of families. */
  readonly only?: readonly string[]
}

export const everything: Selection = { names: 'all', also: [] }

/** The request comes before the settings. */
export const selectionOf = (
  { 'prometheus-metrics': names, 'prometheus-metrics-extra': also }: SelectionSettings,
  { full = false, only }: ScrapeRequest,
): Selection => ({ names: full ? 'all' : names, also, ...(only === undefined ? {} : { only }) })

export interface SelectionSettings {
  readonly 'prometheus-metrics': Selection['names']
  readonly 'prometheus-metrics-extra': readonly string[]
}

/** `family` without the suffixes of histograms. */
export function isSelected(family: string, { names, also, only }: Selection): boolean {
  const begins = (beginning: string): boolean => family.startsWith(beginning)
  if (only !== undefined && !only.some(begins)) return false
  return names === 'all' || isUsual(family) || also.some(begins)
}

/** The manager's own figures, replication and proxies are few, and always exported. */
function isUsual(family: string): boolean {
  if (family.startsWith(STATUS_PREFIX)) return usualStatus.has(family.slice(STATUS_PREFIX.length))
  if (family.startsWith(VARIABLE_PREFIX)) return usualVariables.has(family.slice(VARIABLE_PREFIX.length))
  return true
}

/** The families of a complete exposition that are selected: of text with a HELP line before each. */
export const selectText = (text: string, selection: Selection): string =>
  selection.only === undefined
    ? text
    : text
        .split(/^(?=# HELP )/m)
        .filter((block) => isSelected(/^# HELP (\S+)/.exec(block)?.[1] ?? '', selection))
        .join('')
