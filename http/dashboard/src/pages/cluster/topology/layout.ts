// Where everything of a topology is drawn: layers with the primary on top, or an indented list where there is no room for layers. Pure.
import { type HierarchyPointNode, hierarchy, tree } from 'd3-hierarchy'
import type { Server } from '../../../model/cluster/server.js'
import { type Fold, foldSiblings } from './fold.js'
import { buildGraph, type Edge, type Graph, type Group, type Outsider } from './graph.js'

export interface Box {
  readonly id: string
  /** Middle of its upper edge. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Depth in the tree, from 1. */
  readonly level: number
  readonly server?: Server
  readonly fold?: Fold
  readonly outsider?: Outsider
  /** The frame of a ring or of a Galera cluster: its members are boxes of their own. */
  readonly frame?: 'ring' | 'galera'
}

export interface Line {
  readonly id: string
  readonly edge: Edge
  /** Of an SVG path. */
  readonly path: string
  /** Where its label is. */
  readonly labelX: number
  readonly labelY: number
  readonly labelAt: 'start' | 'middle'
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
  readonly lines: readonly Line[]
}

export const NODE = { width: 184, height: 58 } as const
const GAP = { x: 20, y: 62 } as const
const FRAME = 18
/** An opened fold is drawn as a block of so many columns. */
const COLUMNS = 6

export interface LayoutOptions {
  readonly form: 'layers' | 'list'
  /** Ids of folds that the user has opened. */
  readonly opened: ReadonlySet<string>
  /** Of a list. */
  readonly width?: number
}

export function layoutTopology(servers: readonly Server[], options: LayoutOptions): Layout {
  const graph = buildGraph(servers)
  const boxes = options.form === 'list' ? listBoxes(graph, options) : layerBoxes(graph, options)
  const width = Math.max(...boxes.map(({ x, width }) => x + width / 2), 0) + 4
  const height = Math.max(...boxes.map(({ y, height }) => y + height), 0) + 4
  return { width, height, boxes, lines: linesOf(graph.edges, boxes, options.form) }
}

/** What the tree of d3 is made of. */
interface Item {
  readonly id: string
  readonly group?: Group
  readonly fold?: Fold
  /** An opened fold: all of its servers, which have no replicas. */
  readonly block?: readonly Server[]
  readonly width: number
  readonly height: number
  readonly children: readonly Item[]
}

const itemOf = (group: Group, opened: ReadonlySet<string>): Item => {
  const { shown, fold } = foldSiblings(group.children, group.id)
  const isOpen = fold !== undefined && opened.has(fold.id)
  // With replicas of their own they are never in a block.
  const apart = isOpen ? fold.groups.filter(({ form, children }) => form !== 'single' || children.length > 0) : []
  const block = isOpen ? fold.groups.filter((each) => !apart.includes(each)).flatMap((each) => each.servers) : []
  const children = [...shown, ...apart].map((child) => itemOf(child, opened))
  if (fold) children.push(isOpen ? blockItem(fold, block) : foldItem(fold))
  return { id: group.id, group, ...sizeOfGroup(group), children }
}

const foldItem = (fold: Fold): Item => ({ id: fold.id, fold, ...NODE, children: [] })

function blockItem(fold: Fold, block: readonly Server[]): Item {
  const columns = Math.min(COLUMNS, block.length + 1)
  const rows = Math.ceil((block.length + 1) / columns)
  return {
    ...{ id: fold.id, fold, block, children: [] },
    width: columns * (NODE.width + GAP.x / 2) - GAP.x / 2,
    height: rows * (NODE.height + GAP.x / 2) - GAP.x / 2,
  }
}

function sizeOfGroup({ form, servers }: Group): { readonly width: number; readonly height: number } {
  if (form === 'ring' && servers.length > 2) {
    const { width, height } = ringRadius(servers.length)
    return { width: 2 * width + NODE.width + 2 * FRAME, height: 2 * height + NODE.height + 2 * FRAME }
  }
  if (form === 'ring' || form === 'galera') {
    const columns = form === 'ring' ? 2 : Math.min(servers.length, COLUMNS)
    const between = form === 'ring' ? 84 : GAP.x
    const rows = Math.ceil(servers.length / columns)
    return {
      width: columns * NODE.width + (columns - 1) * between + 2 * FRAME,
      height: rows * NODE.height + (rows - 1) * GAP.x + 2 * FRAME,
    }
  }
  return NODE
}

/** Half axes of the ellipse on which the middles of the members of a ring are. */
function ringRadius(members: number): { readonly width: number; readonly height: number } {
  const chord = 2 * Math.sin(Math.PI / members)
  return { width: Math.max(150, (NODE.width + 40) / chord), height: Math.max(84, (NODE.height + 46) / chord) }
}

const UNIT = 10

function layerBoxes({ roots }: Graph, { opened }: LayoutOptions): readonly Box[] {
  const boxes: Box[] = []
  let left = 4
  for (const root of roots) {
    const item = itemOf(root, opened)
    const placed = tree<Item>()
      .nodeSize([UNIT, 1])
      .separation((a, b) => (a.data.width / 2 + b.data.width / 2 + GAP.x) / UNIT)(
      hierarchy(item, ({ children }) => [...children]),
    )
    const nodes = placed.descendants()
    const start = Math.min(...nodes.map(({ x, data }) => x - data.width / 2))
    const end = Math.max(...nodes.map(({ x, data }) => x + data.width / 2))
    const tops = topsOf(nodes)
    for (const { x, depth, data } of nodes)
      boxes.push(...boxesOf(data, { x: x - start + left, y: tops[depth] ?? 0, level: depth + 1 }))
    left += end - start + GAP.x * 2
  }
  return boxes
}

/** The upper edge of each layer: below the tallest of the layer above. */
function topsOf(nodes: readonly HierarchyPointNode<Item>[]): readonly number[] {
  const tallest: number[] = []
  for (const { depth, data } of nodes) tallest[depth] = Math.max(tallest[depth] ?? 0, data.height)
  const tops: number[] = []
  let top = 4
  for (const height of tallest) {
    tops.push(top)
    top += height + GAP.y
  }
  return tops
}

interface Place {
  readonly x: number
  readonly y: number
  readonly level: number
}

function boxesOf({ id, group, fold, block, width, height }: Item, { x, y, level }: Place): readonly Box[] {
  if (fold && block) return blockBoxes(fold, block, { x: x - width / 2, y, level })
  if (fold) return [{ id, x, y, level, fold, ...NODE }]
  if (group?.outsider) return [{ id, x, y, level, outsider: group.outsider, ...NODE }]
  const [first] = group?.servers ?? []
  if (!group || !first) return []
  if (group.form === 'single') return [{ id: first.id, x, y, level, server: first, ...NODE }]
  const frame: Box = { id, x, y, level, width, height, frame: group.form === 'galera' ? 'galera' : 'ring' }
  return [frame, ...placeMembers(group, frame)]
}

function blockBoxes(fold: Fold, block: readonly Server[], { x, y, level }: Place): readonly Box[] {
  const columns = Math.min(COLUMNS, block.length + 1)
  const at = (index: number) => ({
    x: x + (index % columns) * (NODE.width + GAP.x / 2) + NODE.width / 2,
    y: y + Math.floor(index / columns) * (NODE.height + GAP.x / 2),
    ...{ level, ...NODE },
  })
  return [
    ...block.map((server, index) => ({ id: server.id, server, ...at(index) })),
    { id: fold.id, fold, ...at(block.length) },
  ]
}

function placeMembers({ form, servers }: Group, frame: Box): readonly Box[] {
  const { x, y, level, width, height } = frame
  if (form === 'ring' && servers.length > 2) {
    const radius = ringRadius(servers.length)
    const middle = y + height / 2 - NODE.height / 2
    return servers.map((server, index) => {
      const angle = (2 * Math.PI * index) / servers.length - Math.PI / 2
      return {
        ...{ id: server.id, server, level, ...NODE },
        x: x + radius.width * Math.cos(angle),
        y: middle + radius.height * Math.sin(angle),
      }
    })
  }
  const columns = form === 'ring' ? 2 : Math.min(servers.length, COLUMNS)
  const step = form === 'ring' ? width - 2 * FRAME - NODE.width : NODE.width + GAP.x
  return servers.map((server, index) => ({
    ...{ id: server.id, server, level, ...NODE },
    x: x - width / 2 + FRAME + NODE.width / 2 + (index % columns) * step,
    y: y + FRAME + Math.floor(index / columns) * (NODE.height + GAP.x),
  }))
}

const INDENT = 22
const LIST_GAP = 10

/** One below the other, replicas indented below their source; members of a ring one after the other. */
function listBoxes({ roots }: Graph, { opened, width = 320 }: LayoutOptions): readonly Box[] {
  const boxes: Box[] = []
  let y = 4
  const add = (box: Pick<Box, 'id' | 'server' | 'fold' | 'outsider'>, level: number) => {
    const left = 14 + (level - 1) * INDENT
    const own = Math.max(width - left - 6, 140)
    boxes.push({ ...box, x: left + own / 2, y, width: own, height: NODE.height, level })
    y += NODE.height + LIST_GAP
  }
  const walk = (item: Item, level: number) => {
    if (item.group?.outsider) add({ id: item.id, outsider: item.group.outsider }, level)
    for (const server of item.group?.servers ?? item.block ?? []) add({ id: server.id, server }, level)
    if (item.fold) add({ id: item.fold.id, fold: item.fold }, level)
    for (const child of item.children) walk(child, level + 1)
  }
  for (const root of roots) walk(itemOf(root, opened), 1)
  return boxes
}

function linesOf(edges: readonly Edge[], boxes: readonly Box[], form: LayoutOptions['form']): readonly Line[] {
  const byId = new Map(boxes.map((box) => [box.id, box]))
  const drawn = edges.flatMap((edge) => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)]
    if (!from || !to) return []
    const id = `${edge.from} ${edge.to} ${edge.channel.name}`
    return [{ id, edge, ...(form === 'list' ? elbow(from, to) : curve(from, to)) }]
  })
  return drawn
}

type Path = Pick<Line, 'path' | 'labelX' | 'labelY' | 'labelAt'>

/** From the left edge of the source down to the left edge of the replica; upwards where a ring closes. */
function elbow(from: Box, to: Box): Path {
  const left = Math.min(from.x - from.width / 2, to.x - to.width / 2)
  const isAcross = to.level <= from.level
  const startX = isAcross ? from.x - from.width / 2 : from.x - from.width / 2 + 10
  const startY = isAcross ? from.y + from.height / 2 - 6 : from.y + from.height
  const endX = to.x - to.width / 2
  const endY = to.y + to.height / 2 + (isAcross ? 6 : 0)
  const bend = isAcross ? left - 9 : startX
  return {
    path: `M${round(startX)} ${round(startY)}H${round(bend)}V${round(endY)}H${round(endX)}`,
    ...{ labelX: 0, labelY: 0, labelAt: 'start' },
  }
}

/** From edge to edge: down from layer to layer, straight between members of a ring, around where both are side by side. */
function curve(from: Box, to: Box): Path {
  const isBelow = to.y >= from.y + from.height
  if (isBelow && to.level > from.level) {
    const [startY, endY] = [from.y + from.height, to.y]
    const middle = endY - GAP.y / 2
    return {
      path: `M${round(from.x)} ${round(startY)}C${round(from.x)} ${round(middle + 6)} ${round(to.x)} ${round(middle - 14)} ${round(to.x)} ${round(endY)}`,
      ...{ labelX: to.x + 7, labelY: endY - 9, labelAt: 'start' as const },
    }
  }
  const [start, end] = [edgePoint(from, to), edgePoint(to, from)]
  const [dx, dy] = [end.x - start.x, end.y - start.y]
  const length = Math.hypot(dx, dy) || 1
  // To the right of the way, so that the two directions of a pair are apart.
  const bow = Math.min(26, length / 4)
  const middle = { x: (start.x + end.x) / 2 - (dy / length) * bow, y: (start.y + end.y) / 2 + (dx / length) * bow }
  return {
    path: `M${round(start.x)} ${round(start.y)}Q${round(middle.x)} ${round(middle.y)} ${round(end.x)} ${round(end.y)}`,
    labelX: (start.x + end.x) / 2 - (dy / length) * (bow / 2 + 10),
    labelY: (start.y + end.y) / 2 + (dx / length) * (bow / 2 + 10),
    labelAt: 'middle',
  }
}

/** Where the line between two middles leaves a box. */
function edgePoint(box: Box, towards: Box): { readonly x: number; readonly y: number } {
  const middle = { x: box.x, y: box.y + box.height / 2 }
  const dx = towards.x - middle.x
  const dy = towards.y + towards.height / 2 - middle.y
  const scale = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
  )
  return Number.isFinite(scale) ? { x: middle.x + dx * scale, y: middle.y + dy * scale } : middle
}

const round = (value: number): number => Math.round(value * 10) / 10
