// Which box the arrow keys lead to: the nearest one in that direction. Pure.
import type { Box } from './layout.js'

export type Direction = 'up' | 'down' | 'left' | 'right'

export const directionOf = (key: string): Direction | undefined =>
  (({ ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' }) as const)[key]

/** Undefined where there is none: the focus stays. */
export function neighbourOf(boxes: readonly Box[], from: Box, direction: Direction): Box | undefined {
  const isAcross = direction === 'left' || direction === 'right'
  const sign = direction === 'down' || direction === 'right' ? 1 : -1
  let nearest: Box | undefined
  let least = Number.POSITIVE_INFINITY
  for (const box of boxes) {
    const dx = box.x - from.x
    const dy = box.y - from.y
    const [along, aside] = isAcross ? [dx * sign, Math.abs(dy)] : [dy * sign, Math.abs(dx)]
    // Sideways stays in its row; up and down go to another one, whichever is nearest.
    if (box === from || along < 1 || (isAcross && aside > from.height)) continue
    const distance = isAcross ? along + aside * 3 : along * 3 + aside
    if (distance >= least) continue
    least = distance
    nearest = box
  }
  return nearest
}
