// Addresses that open the dashboard: the first segment decides, the rest is the page's own. Every other address stays unknown.

export const pageSegments = [
  ...['c', 'slides', 'login', 'findings', 'operations', 'alerts', 'users', 'audit', 'manager', 'managers'],
  ...['certificates', 'proxies', 'backups', 'jobs', 'tokens', 'settings', 'configuration', 'timeline', 'graphs'],
  ...['plans', 'queries', 'help', 'about', 'welcome'],
] as const

/** Opens the dashboard as the user of `api-dashboard-user`. */
export const VISITOR_PATH = '/dashboard'

/** Whether the path, as it was sent, is one of a page. */
export function isPagePath(path: string): boolean {
  if (path === '/') return true
  const [, first = ''] = path.split('/')
  return pageSegments.some((segment) => segment === first)
}
