// Where the package is installed: the folder that holds package.json, both from sources' dist/ and from a package.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the package's folder. This file runs as dist/lib/base/package-root.js. */
export const packageRoot: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

/** Absolute path of something below `share/`. */
export const sharePath = (...parts: readonly string[]): string => path.join(packageRoot, 'share', ...parts)

/** The version in package.json. */
export const packageVersion: string = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')).version
