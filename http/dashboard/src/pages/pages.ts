// Every page of the dashboard, one row each: its address, its title, what loads it, where it is offered.
import type { ComponentType } from 'preact'
import { FleetPage } from './fleet/fleet-page.js'
import { serverPages } from './server-pages.js'

export interface PageProps {
  /** What the address names: `/c/:cluster` gives `params.cluster`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

export interface PageModule {
  readonly page: ComponentType<PageProps>
}

export interface Page {
  /** Segments after a colon are parameters. */
  readonly path: string
  /** Title of the tab; `:name` is replaced by the parameter. */
  readonly title: string
  /** What loads it when it is first opened. */
  readonly load?: () => Promise<PageModule>
  /** In place of `load`: part of the first load. */
  readonly component?: ComponentType<PageProps>
  /** Its word in the navigation: of the whole service, of a cluster, of a server. */
  readonly offered?: { readonly in: 'service' | 'cluster' | 'server'; readonly as: string }
  /** One of these grants is needed to open it. */
  readonly grant?: string | readonly string[]
  /** The key after `g` that opens it. */
  readonly key?: string
  /** Without the bar: the page has the whole screen. */
  readonly bare?: boolean
}

export const pages: readonly Page[] = [
  { path: '/', title: 'Fleet', component: FleetPage, offered: { in: 'service', as: 'Fleet' } },
  { path: '/dashboard', title: 'Fleet', component: FleetPage },
  {
    path: '/findings',
    title: 'Findings',
    load: () => import('./findings/findings-page.js'),
    offered: { in: 'service', as: 'Findings' },
    grant: 'global-admin-show',
  },
  {
    path: '/findings/:code/remedy',
    title: 'Remedy of :code',
    load: () => import('./operations/remedy-page.js'),
    grant: 'global-admin-show',
  },
  {
    path: '/operations',
    title: 'Operations',
    load: () => import('./operations/operations-page.js'),
    offered: { in: 'service', as: 'Operations' },
    key: 'o',
  },
  {
    path: '/alerts',
    title: 'Alerts',
    load: () => import('./alerts/alerts-page.js'),
    offered: { in: 'service', as: 'Alerts' },
    key: 'a',
  },
  {
    path: '/proxies',
    title: 'Proxies',
    load: () => import('./proxies/fleet-proxies-page.js'),
    offered: { in: 'service', as: 'Proxies' },
  },
  {
    path: '/certificates',
    title: 'Certificates',
    load: () => import('./certificates/fleet-certificates-page.js'),
    offered: { in: 'service', as: 'Certificates' },
  },
  {
    path: '/c/:cluster',
    title: ':cluster',
    load: () => import('./cluster/cluster-page.js'),
    offered: { in: 'cluster', as: 'Overview' },
  },
  {
    path: '/c/:cluster/topology',
    title: 'Topology of :cluster',
    load: () => import('./cluster/topology-page.js'),
    offered: { in: 'cluster', as: 'Topology' },
  },
  {
    path: '/c/:cluster/timeline',
    title: 'Timeline of :cluster',
    load: () => import('./cluster/timeline/timeline-page.js'),
    offered: { in: 'cluster', as: 'Timeline' },
  },
  {
    path: '/c/:cluster/backups',
    title: 'Backups of :cluster',
    load: () => import('./backups/backups-page.js'),
    offered: { in: 'cluster', as: 'Backups' },
  },
  {
    path: '/c/:cluster/jobs',
    title: 'Jobs of :cluster',
    load: () => import('./jobs/jobs-page.js'),
    offered: { in: 'cluster', as: 'Jobs' },
  },
  {
    path: '/c/:cluster/checksums',
    title: 'Checksums of :cluster',
    load: () => import('./checksums/checksums-page.js'),
    offered: { in: 'cluster', as: 'Checksums' },
    grant: ['cluster-checksum', 'db-show-schema'],
  },
  {
    path: '/c/:cluster/checksums/schema',
    title: 'Schema of :cluster',
    load: () => import('./checksums/schema-page.js'),
    grant: ['db-show-schema', 'cluster-sharding'],
  },
  {
    path: '/c/:cluster/benchmarks',
    title: 'Benchmarks of :cluster',
    load: () => import('./benchmarks/benchmarks-page.js'),
    offered: { in: 'cluster', as: 'Benchmarks' },
    grant: ['cluster-process', 'cluster-show-jobs'],
  },
  {
    path: '/c/:cluster/price',
    title: 'Statement of :cluster',
    load: () => import('./price/price-page.js'),
    offered: { in: 'cluster', as: 'Statement' },
  },
  {
    path: '/c/:cluster/users',
    title: 'Users of :cluster',
    load: () => import('./access/users-page.js'),
    offered: { in: 'cluster', as: 'Users' },
    grant: ['grant-show', 'cluster-grant'],
  },
  {
    path: '/tokens',
    title: 'Your access',
    load: () => import('./access/tokens-page.js'),
    offered: { in: 'service', as: 'Your access' },
  },
  {
    path: '/audit',
    title: 'Audit',
    load: () => import('./audit/audit-page.js'),
    offered: { in: 'service', as: 'Audit' },
  },
  {
    path: '/statements',
    title: 'Statements',
    load: () => import('./price/fleet-price-page.js'),
    offered: { in: 'service', as: 'Statements' },
    grant: 'global-admin-show',
  },
  {
    path: '/registration',
    title: 'Registration',
    load: () => import('./registration/registration-page.js'),
    offered: { in: 'service', as: 'Registration' },
    grant: 'global-grant',
  },
  {
    path: '/slides',
    title: 'Slide show',
    load: () => import('./slides/slides-page.js'),
    offered: { in: 'service', as: 'Slide show' },
    bare: true,
  },
  {
    path: '/c/:cluster/proxies',
    title: 'Proxies of :cluster',
    load: () => import('./proxies/proxies-page.js'),
    offered: { in: 'cluster', as: 'Proxies' },
  },
  {
    path: '/c/:cluster/certificates',
    title: 'Certificates of :cluster',
    load: () => import('./certificates/certificates-page.js'),
    offered: { in: 'cluster', as: 'Certificates' },
    grant: 'cluster-show-certificates',
  },
  {
    path: '/manager',
    title: 'The manager',
    load: () => import('./manager/manager-page.js'),
    offered: { in: 'service', as: 'Manager' },
    grant: 'global-admin-show',
  },
  {
    path: '/settings',
    title: 'Settings of the manager',
    load: () => import('./configuration/global-settings-page.js'),
    offered: { in: 'service', as: 'Settings' },
    grant: ['global-settings', 'global-admin-config'],
  },
  {
    path: '/repository',
    title: 'Configuration in git',
    load: () => import('./repository/repository-page.js'),
    offered: { in: 'service', as: 'Configuration in git' },
    grant: ['global-settings', 'global-admin-config'],
  },
  {
    path: '/c/:cluster/configuration',
    title: 'Configuration of :cluster',
    load: () => import('./configuration/configuration-page.js'),
    offered: { in: 'cluster', as: 'Configuration' },
  },
  {
    path: '/c/:cluster/configuration/:tab',
    title: 'Configuration of :cluster',
    load: () => import('./configuration/configuration-page.js'),
  },
  ...serverPages,
  {
    path: '/about',
    title: 'About',
    load: () => import('./about/about-page.js'),
    offered: { in: 'service', as: 'About' },
  },
]
