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
  'lib/settings',
  'lib/model',
  'lib/dialect',
  'lib/decide/situation',
  'lib/decide/failover',
  'lib/decide/switchover',
  'lib/decide/repair',
  'lib/decide/upkeep',
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
  'lib/effect',
  'actors/protocol',
  'actors/kernel',
  'actors/cluster',
  'actors/archive',
  'actors/supervisor',
  'actors/manager',
  'http/api',
  'http/gateway',
  'http/client',
  'bin',
  'spec/bench',
  'spec/chaos',
] as const

/** Rooms that get everything as arguments: no I/O, no clock, no process. */
const pure = ['lib/model', 'lib/decide', 'lib/dialect', 'lib/configure']

/** Packages that only one room may import. */
const owners: readonly [pattern: RegExp, room: string][] = [
  [/^mysql2/, 'lib/connect'],
  [/^undici/, 'lib/connect'],
  [/^eventsource-parser/, 'http/client'],
  [/^comlink/, 'actors/kernel'],
  [/^piscina/, 'actors/archive'],
  [/^re2js/, 'lib/base'],
  [/^koa|^@koa/, 'http/gateway'],
  [/^@peculiar/, 'lib/tls'],
]

const sources = ['lib', 'actors', 'http', 'bin', 'spec/bench', 'spec/chaos']
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
          .filter(([pattern, room]) => pattern.test(target) && !file.startsWith(`${room}/`))
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
      /^(lib\/settings\/|lib\/dialect\/|http\/api\/|http\/client\/wire\.ts|lib\/model\/wire\.ts|lib\/model\/findings|spec\/chaos\/)/
    const breaches = sources
      .filter((file) => !allowed.test(file))
      .flatMap((file) =>
        code(file)
          .split('\n')
          .map((line, index) => ({
            line: line.replace(/(['"`])[a-z0-9_@./:${}()-]*(master|slave)[a-z0-9_@./:${}()-]*\1/gi, ''),
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

  it('has no drawer for leftovers', () => {
    const banned = /(^|[/-])(utils?|helpers?|common|misc|handler|logic|service|data|info)(\.|-|\/|$)/
    expect(sources.filter((file) => banned.test(file))).to.deep.equal([])
  })
})

function list(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const full = path.join(folder, name)
    if (statSync(full).isDirectory()) return list(full)
    return name.endsWith('.ts') ? [path.relative(packageRoot, full)] : []
  })
}

function roomOf(file: string): string | undefined {
  return rooms.find((room) => file.startsWith(`${room}/`))
}

function order(file: string): number {
  return rooms.findIndex((room) => file === room || file.startsWith(`${room}/`))
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
    path.relative(packageRoot, path.resolve(packageRoot, path.dirname(file), target)).replace(/\.js$/, '.ts'),
  )
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
