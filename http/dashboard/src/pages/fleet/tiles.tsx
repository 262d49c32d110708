// The fleet as tiles: as many side by side as there is room, only those in sight drawn.
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { VirtualList } from '../../parts/list/virtual-list.js'
import type { Group } from '../../store/fleet/arrange.js'
import { fleet } from '../../store/fleet/fleet.js'
import { GroupHead } from './group-head.js'
import { makeLines } from './lines.js'
import { Tile } from './tile.js'
import { useStepping } from './use-stepping.js'

/** In rem, as the styles have it. */
const TILE_WIDTH = 16
const TILE_HEIGHT = 4.75
const GAP = 0.5
const HEAD_HEIGHT = 2.25

export interface ClustersProps {
  readonly groups: readonly Group[]
  readonly grouped: boolean
  readonly hold: () => void
}

export function Tiles({ groups, grouped, hold }: ClustersProps) {
  const frame = useRef<HTMLDivElement>(null)
  const columns = useSignal(1)
  const rem = remInPixels()
  useLayoutEffect(() => {
    if (!frame.current) return
    const element = frame.current
    const measure = () => {
      columns.value = Math.max(1, Math.floor((element.clientWidth / remInPixels() + GAP) / (TILE_WIDTH + GAP)))
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    measure()
    return () => sizes.disconnect()
  }, [columns])
  const lines = makeLines(groups, { columns: columns.value, heads: grouped })
  const { onKeyDown, scrollTo } = useStepping(lines, frame)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links inside
    <div
      ref={frame}
      class="tiles"
      onPointerMove={hold}
      onKeyDown={(event) => {
        hold()
        onKeyDown(event)
      }}
    >
      <VirtualList
        count={lines.length}
        label="Clusters"
        heightOf={(index) => (lines[index]?.type === 'head' ? HEAD_HEIGHT : TILE_HEIGHT + GAP) * rem}
        keyOf={(index) => keyOfLine(lines[index], index)}
        scrollTo={scrollTo}
        line={(index) => {
          const line = lines[index]
          if (!line) return null
          if (line.type === 'head') return <GroupHead tag={line.tag} count={line.count} />
          return (
            <div class="tiles-line" style={{ gridTemplateColumns: `repeat(${columns.value}, minmax(0, 1fr))` }}>
              {line.names.map((name, at) => {
                const row = fleet.row(name)
                return row && <Tile key={name} row={row} line={index} at={at} />
              })}
            </div>
          )
        }}
      />
    </div>
  )
}

export const keyOfLine = (line: ReturnType<typeof makeLines>[number] | undefined, index: number): string =>
  line?.type === 'head' ? `head ${line.tag}` : `line ${index}`

export const remInPixels = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
