// Which slides there are and which comes next: the fleet, and two of each cluster, those in trouble first. Pure.
import type { FleetRow } from '../../../../../lib/model/fleet/row.js'
import { arrange } from '../../store/fleet/arrange.js'

export type Slide = { readonly type: 'fleet' } | { readonly type: 'servers' | 'readiness'; readonly cluster: string }

export interface SlideWish {
  /** In the language of the fleet's filter. */
  readonly filter: string
  readonly onlyTrouble: boolean
}

/** After so many clusters the fleet comes again: no wall hides it for long. */
const CLUSTERS_BETWEEN = 5

export const keyOfSlide = (slide: Slide): string =>
  slide.type === 'fleet' ? 'fleet' : `${slide.type} ${slide.cluster}`

export function slidesOf(rows: readonly FleetRow[], { filter, onlyTrouble }: SlideWish): readonly Slide[] {
  const { groups } = arrange(rows, { filter, sort: '', grouped: false })
  const states = new Map(rows.map(({ name, state, op }) => [name, state !== 'healthy' || op !== null]))
  const names = groups.flatMap((group) => group.names).filter((name) => !onlyTrouble || states.get(name))
  return [
    { type: 'fleet' },
    ...names.flatMap((cluster, index): Slide[] => [
      ...(index > 0 && index % CLUSTERS_BETWEEN === 0 ? [{ type: 'fleet' } as const] : []),
      { type: 'servers', cluster },
      { type: 'readiness', cluster },
    ]),
  ]
}

/** A place among the slides: the fleet is there several times. */
export interface Place {
  readonly index: number
  readonly slide: Slide
}

/** The one after, also when the slides are others by now: a cluster that recovered leaves its neighbours where they are. */
export function nextPlace(slides: readonly Slide[], now: Place | undefined): Place {
  const fleet: Place = { index: 0, slide: { type: 'fleet' } }
  if (!now || slides.length === 0) return fleet
  const key = keyOfSlide(now.slide)
  const found = now.slide.type === 'fleet' ? now.index : slides.findIndex((slide) => keyOfSlide(slide) === key)
  const index = found === -1 ? now.index : found + 1
  const slide = slides[index]
  return slide ? { index, slide } : fleet
}
