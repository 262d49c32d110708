// Stack traces of bundled programs, with the files and lines of the sources.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { packageRoot } from './package-root.js'

const bundle = pathToFileURL(path.join(packageRoot, 'dist/bundle')).href
/** A place in a bundle: its file, line and column, as a stack trace names it. */
const place = new RegExp(`(${bundle.replaceAll('.', '\\.')}/[\\w.-]+\\.js):(\\d+):(\\d+)`, 'g')

/** The trace with places in bundles replaced by those in sources, `lib/base/time.ts:12:3`; what has no map stays as it is. */
export function sourceStack(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>()
  return stack.replace(place, (whole, url: string, ...at: readonly string[]) => {
    const [line, column] = at
    if (!maps.has(url)) maps.set(url, readMap(url))
    const found = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (!found || !('originalSource' in found)) return whole
    const source = path.resolve(path.dirname(fileURLToPath(url)), found.originalSource)
    return `${path.relative(packageRoot, source)}:${found.originalLine + 1}:${found.originalColumn + 1}`
  })
}

function readMap(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')))
  } catch {
    return undefined
  }
}
