// One cluster as a tile. Each text is bound to its own value: a change of the cluster changes that text and nothing else.
import { computed, type Signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { FleetRow } from '../../../../../lib/model/fleet/row.js'
import { sparkPath } from '../../parts/chart/spark-path.js'
import { samples } from '../../store/fleet/fleet.js'
import { renderMake, renderTrouble, renderWrites } from './facts.js'

export interface TileProps {
  readonly row: Signal<FleetRow>
  readonly line: number
  readonly at: number
}

const WIDTH = 56
const HEIGHT = 16

export function Tile({ row, line, at }: TileProps) {
  const { name } = row.peek()
  const shown = useMemo(
    () => ({
      class: computed(() => `tile state-${row.value.state}${row.value.op === null ? '' : ' tile-busy'}`),
      word: computed(() => row.value.op ?? row.value.state),
      make: computed(() => renderMake(row.value)),
      trouble: computed(() => renderTrouble(row.value)),
      writes: computed(() => renderWrites(row.value.wps)),
      path: computed(() => {
        void samples.rounds.value
        return sparkPath(samples.of(name), WIDTH, HEIGHT)
      }),
    }),
    [row, name],
  )
  return (
    <a class={shown.class} href={`/c/${encodeURIComponent(name)}`} data-line={line} data-at={at}>
      <i class="mark" aria-hidden="true" />
      <b class="tile-name">{name}</b>
      <span class="tile-word">{shown.word}</span>
      <span class="tile-make">{shown.make}</span>
      <span class="tile-writes">{shown.writes}</span>
      <span class="tile-trouble">{shown.trouble}</span>
      <svg class="tile-spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <path d={shown.path} />
      </svg>
    </a>
  )
}
