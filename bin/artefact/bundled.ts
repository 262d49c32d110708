// Which packages the programs load from node_modules, and which are part of the bundles.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { packageRoot } from '../../lib/base/package-root.js'

/**
 * Packages that are loaded from node_modules: they contain native code, worker threads or data files; the client of object storage,
 * since its chunks import each other in a circle, where three programs share them, and a class is undefined then.
 */
export const loadedPackages = [
  ...['ssh2', 'piscina', 'pino', 'pino-pretty', 'swagger-ui-dist'],
  ...['@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
] as const

/** The packages that the dashboard imports: their code is in its scripts. */
export async function dashboardPackages(): Promise<readonly string[]> {
  const folder = path.join(packageRoot, 'http/dashboard/src')
  const names = new Set<string>()
  for (const file of await readdir(folder, { recursive: true })) {
    if (!/\.tsx?$/.test(file)) continue
    const text = await readFile(path.join(folder, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/from '((?:@[\w-]+\/)?[a-z][\w-]*)(?:\/[^']*)?'/g)) names.add(name)
  }
  return [...names].sort()
}
