// Bytes for a reply when they are put together here: a value as JSON, or several views as one list.
import { createHash } from 'node:crypto'
import type { ClusterView } from '../../../actors/protocol/cluster.js'
import type { ManagerFace, PublishedView } from '../../../actors/protocol/manager/face.js'
import type { Failure } from '../../../lib/base/result.js'

/** A small value as a separate view; the ETag is that of its bytes. */
export function publishJson(value: unknown, at: number): PublishedView {
  const bytes = Buffer.from(JSON.stringify(value))
  return { bytes, etag: createHash('sha1').update(bytes).digest('base64url'), at }
}

/**
 * The same view of several clusters as one JSON list; `missing` replaces the view of a cluster that gives none. As long as no
 * view has changed, callers that see the same clusters get the same bytes, joined (and packed) once.
 */
export async function publishList(
  manager: ManagerFace,
  { clusters, view, missing }: ListRequest,
): Promise<PublishedView> {
  const views = await Promise.all(
    clusters.map(async (name) => {
      const found = await manager.view(name, view)
      return found.ok ? found.value : publishJson(missing(name, found.failure), 0)
    }),
  )
  const versions = views.map(({ etag }) => etag).join(' ')
  const etag = createHash('sha1').update(`${view} ${versions}`).digest('base64url')
  const known = lists.get(manager)?.get(etag)
  if (known) return known
  const at = views.reduce((oldest, published) => Math.min(oldest, published.at || oldest), Number.MAX_SAFE_INTEGER)
  const list = { bytes: joinViews(views), etag, at }
  keep(manager, list)
  return list
}

/** Lists joined a moment ago, by their etag. Those of large fleets are megabytes, so none is kept for long. */
const lists = new WeakMap<ManagerFace, Map<string, PublishedView>>()
const KEPT_MS = 2_000
const MOST_KEPT = 8

function keep(manager: ManagerFace, list: PublishedView): void {
  const kept = lists.get(manager) ?? new Map<string, PublishedView>()
  lists.set(manager, kept)
  if (kept.size >= MOST_KEPT) return
  kept.set(list.etag, list)
  setTimeout(() => kept.delete(list.etag), KEPT_MS).unref()
}

function joinViews(views: readonly PublishedView[]): Buffer {
  const comma = Buffer.from(',')
  const parts = views.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [comma, bytes]))
  return Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')])
}

export interface ListRequest {
  readonly clusters: readonly string[]
  readonly view: ClusterView
  readonly missing: (cluster: string, failure: Failure) => unknown
}
