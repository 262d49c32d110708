// The page that the address names: loaded when it is first opened, in an error boundary of its own.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { type Page, type PageProps, pages } from '../pages/pages.js'
import { Loading } from '../parts/basic/empty.js'
import { Boundary } from '../parts/basic/panel.js'
import { fleet } from '../store/fleet/fleet.js'
import { maySee, me } from '../store/me.js'
import { ClusterFrame } from './cluster-frame.js'
import { findPage } from './find-page.js'
import { later } from './later.js'
import { NotLoaded } from './not-loaded.js'

const Forbidden = later(() => errors().then((module) => module.Forbidden))
const NoCluster = later(() => errors().then((module) => module.NoCluster))
const NotFound = later(() => errors().then((module) => module.NotFound))
const errors = () => import('./error-pages.js')

type Loaded = ComponentType<PageProps> | 'loading' | 'failed'

/** Modules that were loaded, by the path of their page. */
const loaded = signal<Readonly<Record<string, Loaded>>>({})

export function CurrentPage() {
  const { path, query } = useLocation()
  const found = findPage(pages, path)
  const title = found?.title ?? 'Not found'
  useEffect(() => {
    document.title = `${title} · Manager`
  }, [title])
  if (!found) return <NotFound path={path} />
  const { page, params } = found
  const { cluster } = params
  if (cluster !== undefined && fleet.known.value && isUnknown(cluster)) return <NoCluster name={cluster} />
  const permission = page.grant === undefined || !me.value ? undefined : maySee(page.grant, cluster)
  if (permission && !permission.allowed) return <Forbidden reason={permission.reason ?? ''} />
  const content = (
    <Boundary key={path} what={title}>
      <Content page={page} params={params} query={query} />
    </Boundary>
  )
  return cluster === undefined || page.bare ? content : <ClusterFrame params={params}>{content}</ClusterFrame>
}

function isUnknown(cluster: string): boolean {
  void fleet.changes.value
  return fleet.row(cluster) === undefined
}

function Content({ page, ...props }: PageProps & { readonly page: Page }) {
  const state = page.component ?? loaded.value[page.path]
  useEffect(() => {
    if (state === undefined) void load(page)
  })
  if (state === undefined || state === 'loading') return <Loading />
  if (state === 'failed') return <NotLoaded onRetry={() => void load(page)} />
  const Current = state
  return <Current {...props} />
}

async function load(page: Page): Promise<void> {
  const put = (value: Loaded) => {
    loaded.value = { ...loaded.peek(), [page.path]: value }
  }
  put('loading')
  const module = await page.load?.().catch(() => undefined)
  put(module?.page ?? 'failed')
}
