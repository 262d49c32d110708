// Where the package is installed: the folder that holds package.json, for compiled modules, bundles and an installed package.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the package's folder: the nearest one above this module (or the bundle it is in) with a package.json. */
export const packageRoot: string = nearestPackage(path.dirname(fileURLToPath(import.meta.url)))

/** Absolute path of something below `share/`. */
export const sharePath = (...parts: readonly string[]): string => path.join(packageRoot, 'share', ...parts)

/** Absolute path of a file of the build: below `dist/`. */
export const builtPath = (...parts: readonly string[]): string => path.join(packageRoot, 'dist', ...parts)

/** The version in package.json. */
export const packageVersion: string = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')).version

/** The version with the commit that was built, `+changes` when the sources differed from it; without one where no commit is known. */
export const versionText = (): string => {
  const file = builtPath('commit')
  const commit = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return commit === '' ? packageVersion : `${packageVersion} (commit ${commit})`
}

function nearestPackage(folder: string): string {
  const above = path.dirname(folder)
  if (above === folder) throw new Error('package.json is missing above the running program')
  return existsSync(path.join(folder, 'package.json')) ? folder : nearestPackage(above)
}
