// The topology as a drawing that is also a tree for keyboard and screen reader. Servers are moved by dropping them on named zones.
import { useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { ProxyServer } from '../../../model/cluster/proxy.js'
import type { Server } from '../../../model/cluster/server.js'
import { openPlan } from '../../../plan/open-plan.js'
import { BoxView } from './box-view.js'
import { DropZones } from './drop-zones.js'
import { type Box, type Layout, layoutTopology } from './layout.js'
import { ProxyBand } from './proxy-band.js'
import { ServerMenu } from './server-menu.js'
import { directionOf, neighbourOf } from './walk.js'
import { boxLabel, edgeText, edgeTone } from './words.js'
import { type Dragging, type Zone, type ZoneSituation, zonesFor } from './zones.js'
import './topology.css'

export interface TopologyProps {
  readonly cluster: string
  readonly servers: readonly Server[]
  readonly proxies?: readonly ProxyServer[]
  /** Absent: nothing can be done from here. */
  readonly moves?: Omit<ZoneSituation, 'cluster' | 'servers'>
}

/** Narrower than this there is no room for layers. */
const LAYERS_FROM = 520
/** A pointer that moved farther drags. */
const DRAG_FROM = 6

export function TopologyView({ cluster, servers, proxies = [], moves }: TopologyProps) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useSignal(0)
  const opened = useSignal<ReadonlySet<string>>(new Set())
  const current = useSignal<string | undefined>(undefined)
  const menu = useSignal<{ readonly server: string; readonly only?: 'moves' } | undefined>(undefined)
  const dragging = useSignal<Dragging | undefined>(undefined)
  const { route } = useLocation()

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const sizes = new ResizeObserver(() => {
      width.value = element.clientWidth
    })
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [width])

  const form = width.value >= LAYERS_FROM ? 'layers' : 'list'
  const layout = useMemo(
    () => (width.value === 0 ? undefined : layoutTopology(servers, { form, opened: opened.value, width: width.value })),
    [servers, form, opened.value, form === 'list' ? width.value : 0, width.value === 0],
  )
  const byId = useMemo(() => new Map(servers.map((server) => [server.id, server])), [servers])
  const zoneSituation = moves && { ...moves, cluster, servers }
  const zonesOf = (server: Server) => (zoneSituation ? zonesFor(server, zoneSituation) : [])

  const open = (box: Box) => {
    if (box.fold) toggle(box.fold.id)
    if (box.server) route(`/c/${encodeURIComponent(cluster)}/s/${encodeURIComponent(box.server.name)}`)
  }
  const toggle = (id: string) => {
    const next = new Set(opened.peek())
    if (!next.delete(id)) next.add(id)
    opened.value = next
  }
  const focus = (id: string) => {
    current.value = id
    frame.current?.querySelector<SVGElement>(`[data-box="${CSS.escape(id)}"]`)?.focus()
  }

  const drag = useDrag({ dragging, zonesOf, enabled: moves !== undefined })
  if (servers.length === 0) return <p class="empty">This cluster has no server.</p>
  const shown = layout?.boxes.filter(({ frame }) => frame === undefined) ?? []
  const active = shown.find(({ id }) => id === current.value) ?? shown[0]

  const keys = (event: TargetedKeyboardEvent<SVGElement>) => {
    if (!active || event.ctrlKey || event.metaKey || event.altKey) return
    const direction = directionOf(event.key)
    if (direction) {
      const next = neighbourOf(shown, active, direction)
      if (next) focus(next.id)
    } else if (event.key === 'Home' && shown[0]) focus(shown[0].id)
    else if (event.key === 'End') focus(shown.at(-1)?.id ?? active.id)
    else if (event.key === 'Enter') open(active)
    else if (event.key === '.' && active.server) menu.value = { server: active.server.id }
    else if (event.key === ' ' && active.fold) toggle(active.fold.id)
    else if (event.key === ' ' && active.server && moves) menu.value = { server: active.server.id, only: 'moves' }
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const menuServer = byId.get(menu.value?.server ?? '')

  return (
    <div class={`topology ${dragging.value ? 'topology-dragging' : ''}`}>
      <ProxyBand proxies={proxies} servers={servers} />
      {dragging.value && <DropZones dragging={dragging.value} />}
      <div class="topology-frame" ref={frame}>
        {layout && active && (
          <Drawing
            {...{ cluster, layout, form, byId, active, dragging: dragging.value, room: width.value }}
            canMove={moves !== undefined}
            onKey={keys}
            onOpen={(box) => {
              if (!drag.hasJustDragged()) open(box)
            }}
            onMenu={(server) => {
              menu.value = { server: server.id }
            }}
            onGrab={drag.begin}
            onFocus={(id) => {
              current.value = id
            }}
          />
        )}
      </div>
      {menuServer && (
        <ServerMenu
          {...{ cluster, server: menuServer, zones: zonesOf(menuServer) }}
          only={menu.value?.only}
          onClose={() => {
            const { server } = menu.value ?? {}
            menu.value = undefined
            if (server !== undefined) focus(server)
          }}
        />
      )}
    </div>
  )
}

interface DrawingProps {
  readonly cluster: string
  readonly layout: Layout
  readonly form: 'layers' | 'list'
  readonly byId: ReadonlyMap<string, Server>
  readonly active: Box
  readonly dragging: Dragging | undefined
  /** Width of the frame. */
  readonly room: number
  readonly canMove: boolean
  readonly onKey: (event: TargetedKeyboardEvent<SVGElement>) => void
  readonly onOpen: (box: Box) => void
  readonly onMenu: (server: Server) => void
  readonly onGrab: (server: Server, event: TargetedPointerEvent<SVGGElement>) => void
  readonly onFocus: (id: string) => void
}

/** Smaller than this nobody reads it: then it is scrolled. */
const LEAST_SCALE = 0.75

function Drawing(props: DrawingProps) {
  const { cluster, layout, form, byId, active, dragging, room } = props
  const scale = Math.min(1, Math.max(room / layout.width, LEAST_SCALE))
  const boxes = layout.boxes.filter(({ frame }) => frame === undefined)
  const zoneAt = new Map(dragging?.zones.flatMap((zone) => (zone.at === undefined ? [] : [[zone.at, zone] as const])))
  return (
    <svg
      class="topology-drawing"
      width={layout.width * scale}
      height={layout.height * scale}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the drawing is the tree, its boxes are the items
      role="tree"
      aria-label={`Topology of ${cluster}`}
      onKeyDown={props.onKey}
    >
      <g>
        {layout.boxes.flatMap(({ id, frame, x, y, width, height }) =>
          frame === undefined
            ? []
            : [
                <g key={id}>
                  <rect class="topology-group" x={x - width / 2} y={y} width={width} height={height} rx="10" />
                  <text class="topology-caption" x={x - width / 2 + 10} y={y + 14}>
                    {frame === 'galera' ? 'Galera cluster' : 'Ring'}
                  </text>
                </g>,
              ],
        )}
        {layout.lines.map(({ id, edge, path, labelX, labelY, labelAt }) => {
          const to = byId.get(edge.to)
          return (
            <g key={id} class={`edge edge-${edgeTone(edge.channel, to)} ${edge.isTree ? '' : 'edge-across'}`}>
              <path d={path} />
              {form === 'layers' && (
                <text x={labelX} y={labelY} text-anchor={labelAt}>
                  {edgeText(edge.channel, to)}
                </text>
              )}
            </g>
          )
        })}
      </g>
      {boxes.map((box, index) => (
        <BoxView
          key={box.id}
          {...{ box, form, zone: zoneAt.get(box.id), byId }}
          label={boxLabel(box, byId)}
          place={`${index + 1}/${boxes.length}`}
          isActive={box.id === active.id}
          isGrabbed={dragging?.server.id === box.id}
          isOver={dragging?.over !== undefined && dragging.over === zoneAt.get(box.id)?.id}
          canMove={props.canMove}
          onOpen={() => props.onOpen(box)}
          onMenu={() => box.server && props.onMenu(box.server)}
          onGrab={(event) => box.server && props.onGrab(box.server, event)}
          onFocus={() => props.onFocus(box.id)}
        />
      ))}
    </svg>
  )
}

interface DragOptions {
  readonly dragging: { value: Dragging | undefined; peek(): Dragging | undefined }
  readonly zonesOf: (server: Server) => readonly Zone[]
  readonly enabled: boolean
}

/** A drop opens the plan of its zone; everywhere else, and with Esc, nothing happens. */
function useDrag({ dragging, zonesOf, enabled }: DragOptions) {
  const ended = useRef(0)
  const latest = useRef(zonesOf)
  latest.current = zonesOf
  const begin = (server: Server, event: TargetedPointerEvent<SVGGElement>) => {
    // A finger scrolls; it has the menu.
    if (!enabled || event.button !== 0 || event.pointerType === 'touch') return
    const start = { x: event.clientX, y: event.clientY }
    const over = new AbortController()
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      const before = dragging.peek()
      if (!before && Math.hypot(x - start.x, y - start.y) < DRAG_FROM) return
      const zones = before?.zones ?? latest.current(server)
      const zone = document.elementFromPoint(x, y)?.closest('[data-zone]')?.getAttribute('data-zone')
      dragging.value = { server, zones, x, y, ...(zone ? { over: zone } : {}) }
    }
    const end = () => {
      over.abort()
      if (dragging.peek()) ended.current = performance.now()
      dragging.value = undefined
    }
    const drop = () => {
      const { zones = [], over: id } = dragging.peek() ?? {}
      end()
      const zone = zones.find((each) => each.id === id)
      if (zone && zone.refused === undefined) openPlan(zone.action)
    }
    const { signal } = over
    addEventListener('pointermove', move, { signal })
    addEventListener('pointerup', drop, { signal })
    addEventListener('pointercancel', end, { signal })
    addEventListener('keydown', (key) => key.key === 'Escape' && end(), { signal })
    event.preventDefault()
    event.currentTarget.focus()
  }
  return { begin, hasJustDragged: () => performance.now() - ended.current < 300 }
}
