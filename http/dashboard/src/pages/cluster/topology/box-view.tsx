// One box of the topology: a server, a bubble of folded replicas, or a source from outside.
import type { TargetedPointerEvent } from 'preact'
import { stateOfCondition } from '../../../model/cluster/condition.js'
import type { Server } from '../../../model/cluster/server.js'
import type { Box } from './layout.js'
import { shapes } from './marks.js'
import { edgeText, foldDetail, foldLine, rateText, shorten, stateLine } from './words.js'
import type { Zone } from './zones.js'

export interface BoxViewProps {
  readonly box: Box
  readonly form: 'layers' | 'list'
  readonly label: string
  /** "3/8". */
  readonly place: string
  /** Drops here, while something is dragged. */
  readonly zone: Zone | undefined
  readonly byId: ReadonlyMap<string, Server>
  readonly isActive: boolean
  readonly isGrabbed: boolean
  readonly isOver: boolean
  readonly canMove: boolean
  readonly onOpen: () => void
  readonly onMenu: () => void
  readonly onGrab: (event: TargetedPointerEvent<SVGGElement>) => void
  readonly onFocus: () => void
}

export function BoxView(props: BoxViewProps) {
  const { box, label, place, zone, isActive, isGrabbed, isOver } = props
  const { x, y, width, height, level, server, fold } = box
  const condition = server?.condition ?? fold?.worst
  const state = condition ? stateOfCondition[condition] : 'unknown'
  const [at, of] = place.split('/')
  const zoneClass = zone === undefined ? '' : zone.refused === undefined ? 'box-zone' : 'box-no-zone'
  return (
    <g
      class={`box box-${state} ${server?.role === 'primary' ? 'box-primary' : ''} ${fold ? 'box-fold' : ''} ${box.outsider ? 'box-outside' : ''} ${isGrabbed ? 'box-grabbed' : ''} ${zoneClass} ${isOver ? 'box-over' : ''} ${props.canMove && server ? 'box-moves' : ''}`}
      transform={`translate(${x - width / 2} ${y})`}
      role="treeitem"
      aria-label={label}
      aria-level={level}
      aria-posinset={Number(at)}
      aria-setsize={Number(of)}
      aria-selected={isActive}
      {...(fold ? { 'aria-expanded': false } : {})}
      tabIndex={isActive ? 0 : -1}
      data-box={box.id}
      data-server={server?.name}
      data-zone={zone?.id}
      onClick={props.onOpen}
      onFocus={props.onFocus}
      onPointerDown={props.onGrab}
    >
      <rect class="box-ground" width={width} height={height} rx="6" />
      {!box.outsider && <path class="box-edge" d={`M6 0H4A4 4 0 0 0 0 4V${height - 4}A4 4 0 0 0 4 ${height}H6Z`} />}
      {server && <ServerText {...props} server={server} />}
      {fold && (
        <>
          <text class="box-name" x="16" y="24">
            {foldLine(fold)}
          </text>
          <text class="box-word" x="16" y="43">
            {foldDetail(fold)}
          </text>
        </>
      )}
      {box.outsider && (
        <>
          <text class="box-name" x="14" y="24">
            {shorten(box.outsider.address, 20)}
          </text>
          <text class="box-word" x="14" y="43">
            Outside of this cluster
          </text>
        </>
      )}
    </g>
  )
}

function ServerText({ box, form, zone, server, canMove, onMenu }: BoxViewProps & { readonly server: Server }) {
  const { width } = box
  // Behind the mark and before the menu; figures of the name's font are 8 wide.
  const room = Math.floor((width - 33 - (canMove ? 26 : 10)) / 8)
  const lag = form === 'list' ? server.channels[0] && edgeText(server.channels[0], server) : undefined
  const hasRate = zone === undefined && server.queriesPerSecond !== undefined && server.condition !== 'down'
  const right = hasRate ? rateText(server.queriesPerSecond ?? 0) : ''
  const line = zone?.refused === undefined && zone ? zone.name : [stateLine(server), lag].filter(Boolean).join(' · ')
  const lineRoom = Math.floor((width - 34 - right.length * 6) / 6)
  return (
    <>
      <g class="box-mark" transform="translate(14 13)">
        <path d={shapes[stateOfCondition[server.condition]]} fill-rule="evenodd" />
      </g>
      <text class="box-name" x="33" y="24">
        {shorten(server.name, room)}
      </text>{' '}
      <text class="box-word" x="14" y="43">
        {shorten(line, lineRoom)}
      </text>{' '}
      {zone === undefined && (
        <text class="box-rate" x={width - 12} y="43">
          {right}
        </text>
      )}
      {canMove && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the key `.` of the tree item does the same
        <g
          class="box-menu"
          transform={`translate(${width - 26} 6)`}
          onPointerDown={(event) => event.stopPropagation()}
          onClick={(event) => {
            event.stopPropagation()
            onMenu()
          }}
        >
          <rect width="22" height="22" rx="4" />
          <circle cx="6" cy="11" r="1.5" />
          <circle cx="11" cy="11" r="1.5" />
          <circle cx="16" cy="11" r="1.5" />
        </g>
      )}
    </>
  )
}
