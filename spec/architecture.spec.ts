// The house rules that a program can check: who imports whom, cycles, vocabulary.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../lib/base/package-root.js'

/** Rooms from the ground up: a room imports only rooms named before it, and itself. */
const rooms = [
  'lib/base',
  'lib/tls',
  'lib/access',
  'lib/price',
  'lib/settings',
  'lib/model',
  'lib/dialect',
  'lib/decide/situation',
  'lib/decide/failover',
  'lib/decide/switchover',
  'lib/decide/repair',
  'lib/decide/upkeep',
  'lib/decide/backup',
  'lib/decide/watching',
  'lib/decide/findings',
  'lib/decide',
  'lib/configure',
  'lib/connect',
  'lib/probe',
  'lib/proxy',
  'lib/orchestrator',
  'lib/notify',
  'lib/metrics',
  'lib/store',
  'lib/git',
  'lib/agent',
  'lib/lease',
  'lib/hosted',
  'lib/backup',
  'lib/effect',
  'lib/benchmark',
  'lib/trial',
  'actors/protocol',
  'actors/kernel',
  'actors/cluster',
  'actors/archive',
  'actors/supervisor',
  'actors/manager',
  'http/api',
  'http/gateway',
  'http/client',
  'http/dashboard/src/text',
  'http/dashboard/src/model',
  'http/dashboard/src/client',
  'http/dashboard/src/stream',
  'http/dashboard/src/store',
  'http/dashboard/src/parts',
  'http/dashboard/src/plan',
  'http/dashboard/src/pages',
  'http/dashboard/src/shell',
  'http/dashboard',
  'bin',
  'spec/support/wait',
  'spec/support/run',
  'spec/support/lease',
  'spec/support/simulator',
  'spec/support/actors',
  'spec/support/hosted',
  'spec/support/browser',
  'spec/support/machine',
  'spec/support/canned',
  'spec/support/databases',
  'spec/support/configuration',
  'spec/support/http',
  'spec/support/manager',
  'spec/support/hosts',
  'spec/support/proxies',
  'spec/support/stories',
  'spec/bench',
  'spec/chaos',
] as const

/** Rooms that get everything as arguments: no I/O, no clock, no process. */
const pure = ['lib/model', 'lib/price', 'lib/decide', 'lib/dialect', 'lib/configure']

/** What the dashboard imports of the rest: the typed client, plain types and pure functions, since it runs in a browser. */
const dashboardMayImport = /^(http\/dashboard\/|http\/client\/api\/|lib\/model\/)/

/** Packages that only one room (or each of several) may import. */
const owners: readonly [pattern: RegExp, ...rooms: string[]][] = [
  [/^mysql2/, 'lib/connect'],
  [/^undici/, 'lib/connect'],
  [/^eventsource-parser/, 'http/client', 'http/dashboard'],
  [/^(preact|@preact|uplot|d3-|diff$)/, 'http/dashboard'],
  [/^comlink/, 'actors/kernel'],
  [/^piscina/, 'actors/archive'],
  [/^re2js/, 'lib/base'],
  [/^koa|^@koa/, 'http/gateway'],
  [/^@peculiar/, 'lib/tls'],
  [/^simple-git/, 'lib/git'],
]

/** Files in one folder, its rooms not counted. */
const largestFolder = 18

const sources = ['lib', 'actors', 'http', 'bin', 'spec/support', 'spec/bench', 'spec/chaos']
  .flatMap((folder) => list(path.join(packageRoot, folder)))
  .filter((file) => !file.endsWith('.spec.ts'))

describe('architecture', () => {
  it('has a room for every source file', () => {
    expect(sources.filter((file) => roomOf(file) === undefined)).to.deep.equal([])
  })

  it('imports point one way', () => {
    const breaches = sources.flatMap((file) =>
      imports(file)
        .filter((target) => target.startsWith('.'))
        .map((target) => path.relative(packageRoot, path.resolve(packageRoot, path.dirname(file), target)))
        .filter((target) => order(target) > order(file))
        .map((target) => `${file} imports ${target}`),
    )
    expect(breaches).to.deep.equal([])
  })

  it('has no cycle of imports, of types neither', () => {
    expect(findCycle(sources, sourcesOf)).to.equal(undefined)
  })

  it('has no cycle of folders', () => {
    const edges = new Map<string, Set<string>>()
    for (const file of sources)
      for (const target of sourcesOf(file)) {
        const [from, to] = [path.dirname(file), path.dirname(target)]
        if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to))
      }
    expect(findCycle([...edges.keys()], (folder) => [...(edges.get(folder) ?? [])])).to.equal(undefined)
  })

  it('imports nothing of the server into the dashboard but the typed client, plain types and pure functions', () => {
    const breaches = sources
      .filter((file) => file.startsWith('http/dashboard/src/'))
      .flatMap((file) =>
        imports(file)
          .filter((target) => target.startsWith('.') || target.startsWith('node:'))
          .map((target) => path.relative(packageRoot, path.resolve(packageRoot, path.dirname(file), target)))
          .filter((target) => !dashboardMayImport.test(target))
          .map((target) => `${file} imports ${target}`),
      )
    expect(breaches).to.deep.equal([])
  })

  it('imports nothing but lib/base into spec/support/wait: a spec that waits is a story for other reasons', () => {
    const relative = imports('spec/support/wait.ts').filter((target) => target.startsWith('.'))
    expect(relative.filter((target) => !target.startsWith('../../lib/base/'))).to.deep.equal([])
    expect(relative).to.not.have.length(0)
  })

  it('sends no statement and no request from actors/cluster: lib/effect and lib/probe do', () => {
    const breaches = sources
      .filter((file) => file.startsWith('actors/cluster/'))
      .flatMap((file) =>
        sourcesOf(file)
          .filter((target) => target.startsWith('lib/connect/'))
          .map((target) => `${file} imports ${target}`),
      )
    expect(breaches).to.deep.equal([])
  })

  it('keeps rooms without I/O free of it', () => {
    const breaches = sources
      .filter((file) => pure.some((room) => file.startsWith(`${room}/`)))
      .flatMap((file) =>
        imports(file)
          .filter((target) => /^node:(fs|net|http|https|child_process|dns|tls|worker_threads|timers)/.test(target))
          .map((target) => `${file} imports ${target}`),
      )
    expect(breaches).to.deep.equal([])
  })

  it('reads no clock and no process in lib/decide', () => {
    const breaches = sources
      .filter((file) => file.startsWith('lib/decide/'))
      .filter((file) => /\bDate\.now\b|\bnew Date\(\)|\bprocess\.|\bMath\.random\b|\bperformance\./.test(code(file)))
    expect(breaches).to.deep.equal([])
  })

  it('keeps no state between calls in rooms without I/O', () => {
    const state = /^(?:export )?(?:let |const \w+[^=\n]*= new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\))/m
    const breaches = sources
      .filter((file) => pure.some((room) => file.startsWith(`${room}/`)))
      .filter((file) => state.test(code(file)))
    expect(breaches).to.deep.equal([])
  })

  it('leaves each package to the room that owns it', () => {
    const breaches = sources.flatMap((file) =>
      imports(file).flatMap((target) =>
        owners
          .filter(([pattern, ...rooms]) => pattern.test(target) && !rooms.some((room) => file.startsWith(`${room}/`)))
          .map(() => `${file} imports ${target}`),
      ),
    )
    expect(breaches).to.deep.equal([])
  })

  it('opens every file with one sentence that says what it is for', () => {
    expect(sources.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(read(file)))).to.deep.equal([])
  })

  it('keeps the words of the wire at the wire', () => {
    const allowed =
      /^(lib\/settings\/|lib\/dialect\/|http\/api\/|http\/client\/(wire|api\/generated)\.ts|lib\/model\/wire\.ts|lib\/model\/findings|spec\/chaos\/|spec\/support\/|http\/dashboard\/src\/model\/)/
    const breaches = sources
      .filter((file) => !allowed.test(file))
      .flatMap((file) =>
        code(file)
          .split('\n')
          .map((line, index) => ({
            line: line.replace(
              /(['"`])(?:(?:GET|POST|PUT|DELETE) )?[a-z0-9_@./:${}()-]*(master|slave)[a-z0-9_@./:${}()-]*\1/gi,
              '',
            ),
            index,
          }))
          .filter(({ line }) => /master|slave/i.test(line))
          .map(({ index }) => `${file}:${index + 1}`),
      )
    expect(breaches).to.deep.equal([])
  })

  it('names only files that exist in ARCHITECTURE.md', () => {
    const named = read('ARCHITECTURE.md').matchAll(/[`(]((?:lib|actors|http|bin|spec|share)\/[\w./-]+)[`)]/g)
    const missing = [...named].map(([, name = '']) => name).filter((name) => !existsSync(path.join(packageRoot, name)))
    expect(missing).to.deep.equal([])
  })

  it('keeps folders small enough to be read at a glance', () => {
    const sizes = new Map<string, number>()
    for (const file of sources.filter((name) => !name.startsWith('spec/')))
      sizes.set(path.dirname(file), (sizes.get(path.dirname(file)) ?? 0) + 1)
    const large = [...sizes]
      .filter(([, size]) => size > largestFolder)
      .map(([folder, size]) => `${folder}: ${size} files`)
    expect(large).to.deep.equal([])
  })

  it('has no drawer for leftovers', () => {
    const banned = /(^|[/-])(utils?|helpers?|common|misc|handler|logic|service|data|info)(\.|-|\/|$)/
    // Self-service and hosted service are words of the contract.
    const named = sources.map((file) => file.replaceAll(/(self|hosted)-service/g, '$1'))
    expect(named.filter((file) => banned.test(file))).to.deep.equal([])
  })
})

function list(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const full = path.join(folder, name)
    if (statSync(full).isDirectory()) return list(full)
    return /\.tsx?$/.test(name) ? [path.relative(packageRoot, full)] : []
  })
}

function roomOf(file: string): string | undefined {
  return rooms[order(file)]
}

function order(file: string): number {
  const name = file.replace(/\.[jt]sx?$/, '')
  return rooms.findIndex((room) => name === room || name.startsWith(`${room}/`))
}

function read(file: string): string {
  return readFileSync(path.join(packageRoot, file), 'utf8')
}

/** The text without comments. */
function code(file: string): string {
  return read(file)
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\s\/\/ .*$/gm, '')
}

function imports(file: string): string[] {
  return [...code(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target)
}

/** The sources that a file imports when it is loaded, types included: files that need each other are one thing in two places. */
function sourcesOf(file: string): string[] {
  return [...code(file).matchAll(/^(?:import|export)\s[^;()]*?from\s*'(\.[^']+)'/gm)].map(([, target = '']) =>
    sourceOf(path.relative(packageRoot, path.resolve(packageRoot, path.dirname(file), target))),
  )
}

/** The source of a compiled name: `.tsx` in the dashboard where there is no `.ts`. */
function sourceOf(target: string): string {
  const source = target.replace(/\.js$/, '.ts')
  return source.startsWith('http/dashboard/') && !existsSync(path.join(packageRoot, source)) ? `${source}x` : source
}

/** The first cycle of a graph, in words. */
function findCycle(nodes: readonly string[], next: (node: string) => readonly string[]): string | undefined {
  const done = new Set<string>()
  const visit = (node: string, trail: readonly string[]): string | undefined => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node].join(' → ')
    if (done.has(node)) return undefined
    for (const target of next(node)) {
      const cycle = visit(target, [...trail, node])
      if (cycle) return cycle
    }
    done.add(node)
    return undefined
  }
  for (const node of nodes) {
    const cycle = visit(node, [])
    if (cycle) return cycle
  }
  return undefined
}
