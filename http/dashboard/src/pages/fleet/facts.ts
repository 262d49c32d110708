// What a tile says of a cluster in words: what it is made of, and what is wrong with it.
import type { FleetRow } from '../../../../../lib/model/fleet/row.js'
import { renderAge, renderShort } from '../../text/numbers.js'

/** "db1 · 3 of 3 · manual". */
export function renderMake({ primary, up, of, mode, flags }: FleetRow): string {
  const parts = [primary === '' ? 'no primary' : primary, `${up} of ${of} up`]
  if (mode === 'manual') parts.push('manual')
  return [...parts, ...flags].join(' · ')
}

/** Seconds behind: "12 s", "340 s", "14 min". */
export const renderLag = (lag: number): string => (lag < 600 ? `${Math.round(lag)} s` : renderAge(lag * 1_000))

/** The worst finding and how many more there are: "ERR00041 +2". */
export function renderFindings({ errors, warnings, worst }: FleetRow): string {
  if (worst === null) return ''
  const others = errors + warnings - 1
  return others > 0 ? `${worst} +${others}` : worst
}

/** "ERR00041 +2 · lag 12 s · loses 340": nothing when nothing is wrong. */
export function renderTrouble(row: FleetRow): string {
  const { lag, loss } = row
  const findings = renderFindings(row)
  const parts = findings === '' ? [] : [findings]
  if (lag !== null && lag > 0) parts.push(`lag ${renderLag(lag)}`)
  if (loss !== null && loss > 0) parts.push(`loses ${renderShort(loss)}`)
  return parts.join(' · ')
}

export const renderWrites = (wps: number | null): string => (wps === null ? '' : `${renderShort(wps)}/s`)
