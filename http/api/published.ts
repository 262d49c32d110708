// Bytes for a reply when they are put together here: a value as JSON, or several views as one list.
import { createHash } from 'node:crypto'
import type { ClusterView } from '../../actors/protocol/cluster.js'
import type { Failure } from '../../lib/base/result.js'
import type { ManagerFace, PublishedView } from './face.js'

/** A small value as a view of its own; the ETag is that of its bytes. */
export function publishJson(value: unknown, at: number): PublishedView {
  const bytes = Buffer.from(JSON.stringify(value))
  return { bytes, etag: createHash('sha1').update(bytes).digest('base64url'), at }
}

/** The same view of several clusters as one JSON list; `missing` stands in for a cluster that gives none. */
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
  const comma = Buffer.from(',')
  const parts = views.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [comma, bytes]))
  const etag = createHash('sha1')
    .update(views.map(({ etag }) => etag).join(' '))
    .digest('base64url')
  const at = views.reduce((oldest, published) => Math.min(oldest, published.at || oldest), Number.MAX_SAFE_INTEGER)
  return { bytes: Buffer.concat([Buffer.from('['), ...parts, Buffer.from(']')]), etag, at }
}

export interface ListRequest {
  readonly clusters: readonly string[]
  readonly view: ClusterView
  readonly missing: (cluster: string, failure: Failure) => unknown
}
