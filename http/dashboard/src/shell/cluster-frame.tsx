// The heading of every page of a cluster: its name, its state, its other pages.

import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { type Page, pages } from '../pages/pages.js'
import { StateMark } from '../parts/basic/state-mark.js'
import { connection, fleet } from '../store/fleet/fleet.js'
import { currentOf } from './find-page.js'

export interface ClusterFrameProps {
  readonly params: Readonly<Record<string, string>>
  readonly children: ComponentChildren
}

export function ClusterFrame({ params, children }: ClusterFrameProps) {
  const { cluster = '', server } = params
  void fleet.changes.value
  const row = fleet.row(cluster)?.value
  return (
    <>
      <header class={connection.value.type === 'lost' ? 'cluster-head stale' : 'cluster-head'}>
        <h1>
          <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>
          {server !== undefined && <span class="muted"> / {server}</span>}
        </h1>
        {row && <StateMark state={row.state} />}
        {row?.op != null && <span class="tag tag-note">{row.op}</span>}
        {row?.mode === 'manual' && <span class="tag tag-warning">manual failover</span>}
        {row?.flags.map((flag) => (
          <span key={flag} class="tag tag-warning">
            {flag}
          </span>
        ))}
      </header>
      <Offered of={server === undefined ? 'cluster' : 'server'} params={params} />
      {children}
    </>
  )
}

function Offered({
  of,
  params,
}: {
  readonly of: 'cluster' | 'server'
  readonly params: Readonly<Record<string, string>>
}) {
  const { path } = useLocation()
  const offered = pages.filter((page) => page.offered?.in === of)
  if (offered.length < 2) return null
  const hrefOf = (page: Page) =>
    page.path.replace(/:(\w+)/g, (_all, key: string) => encodeURIComponent(params[key] ?? ''))
  const current = currentOf(offered.map(hrefOf), path)
  return (
    <nav class="tabs cluster-pages" aria-label={of === 'cluster' ? 'Pages of the cluster' : 'Pages of the server'}>
      {offered.map((page) => {
        const href = hrefOf(page)
        return (
          <a key={page.path} href={href} aria-current={href === current ? 'page' : undefined}>
            {page.offered?.as}
          </a>
        )
      })}
    </nav>
  )
}
