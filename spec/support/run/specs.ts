// The spec files of the house, and which of them start servers or hosts: read from their imports.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'

const compiled = path.join(packageRoot, 'dist')

/** What starts databases, daemons, hosts, proxies or browsers: a spec that imports one of these, directly or not, is a story. */
const starters =
  /spec\/support\/(databases\/(node|engine)|manager\/(manager-process|daemon-run)|hosts\/(host-root|sshd|ssh-root)|proxies\/haproxy|canned\/fleet|browser\/chromium|configuration\/(generated|known-options))\.js$/

/** Says that a spec measures the machine. */
const alone = /spec\/support\/run\/alone\.js$/

/** Says that a spec starts programs by what it tests. */
const programs = /spec\/support\/run\/programs\.js$/

/** What a story calls itself, without one of those. */
const direct = /\b(mariadbd|createLocalOrchestrator)\b/

/** Chooses the long proofs: a spec that imports it runs more of itself in a soak. */
const soak = /spec\/support\/run\/soak\.js$/

export interface Spec {
  /** The compiled file, from the package's root. */
  readonly file: string
  /** It starts servers, daemons, hosts or proxies. */
  readonly isStory: boolean
  /** It runs other programs: the client, openssl, tar. Read from its imports, or from its mark. */
  readonly isProgram: boolean
  /** A soak runs more of it than a commit does. */
  readonly isLonger: boolean
  /** It measures the machine: nothing runs beside it. */
  readonly isAlone: boolean
}

/** Every spec that has a source; compiled files whose source is gone are left out. */
export const listSpecs = (): readonly Spec[] => specsAt('spec').map(describeSpec)

/** Compiled files, from the package's root, of the specs that a path names: one spec, its source or a folder with all below it. */
export function specsAt(named: string): readonly string[] {
  const wanted = path.relative(packageRoot, path.resolve(packageRoot, named)).replace(/^dist\/(?=spec\b)/, '')
  return sources()
    .filter((file) => file === wanted.replace(/\.js$/, '.ts') || file.startsWith(`${wanted}/`))
    .map((file) => `dist/${file.replace(/\.ts$/, '.js')}`)
}

/** The source of every spec, from the package's root. */
const sources = (): readonly string[] =>
  readdirSync(path.join(packageRoot, 'spec'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .sort()
    .map((file) => `spec/${file}`)

/** A spec by its compiled file, from the package's root or absolute. */
export function describeSpec(file: string): Spec {
  const absolute = path.resolve(packageRoot, file)
  const needed = [...reached(absolute)]
  return {
    file: path.relative(packageRoot, absolute),
    isStory: direct.test(textOf(absolute)) || needed.some((each) => starters.test(each)),
    isProgram: needed.some((each) => programs.test(each) || /['"]node:child_process['"]/.test(textOf(each))),
    isLonger: needed.some((each) => soak.test(each)),
    isAlone: needed.some((each) => alone.test(each)),
  }
}

/** The file and every file of the specs that it imports, directly or not. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(file)) return seen
  seen.add(file)
  for (const target of importsOf(file)) reached(target, seen)
  return seen
}

const texts = new Map<string, string>()

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8')
  texts.set(file, text)
  return text
}

const known = new Map<string, readonly string[]>()

function importsOf(file: string): readonly string[] {
  const kept = known.get(file)
  if (kept) return kept
  const targets = [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)]
    .map(([, target = '']) => path.resolve(path.dirname(file), target))
    .filter((target) => target.startsWith(path.join(compiled, 'spec')))
  known.set(file, targets)
  return targets
}

/** `dist/spec/live/rolling.spec.js` is `live/rolling`. */
export const nameOf = (file: string): string => file.replace(/^dist\/spec\/|\.spec\.js$/g, '')
