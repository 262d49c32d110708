// From rules, tags and resources to the tree of files of a server.
import { modeOf } from '../../base/files/modes.js'
import type { ServerAddress } from '../../model/server/server.js'
import type { Software } from '../facts/gates.js'
import { type MemoryPlan, solveMemory } from '../facts/memory.js'
import { type ConfiguredServer, type PathContext, placePaths } from '../facts/paths.js'
import type { Resources } from '../facts/resources.js'
import type { VariableInput } from '../facts/variable.js'
import { namesOfVariables, variables } from '../facts/variables.js'
import type { Rule, RuleSet } from '../rules/rules.js'
import { selectRules } from '../rules/select.js'
import { fileLines, fixed, fragmentLines, type Line } from './fragment.js'
import { emptyOverlay, type Overlays, overlayNames } from './overlays.js'
import { completeTree, type FileTree, impliedFolders, type TreeEntry } from './tree.js'

/** What all servers of one template have in common, in whatever cluster they are. */
export interface TemplateInput {
  readonly rules: RuleSet
  readonly tags: readonly string[]
  readonly resources: Resources
  readonly software: Software
  /** Only its kind counts here; the folders are the server's. */
  readonly context: PathContext['kind']
}

/** Data of one server. */
export interface ServerInput {
  readonly cluster: string
  readonly server: ConfiguredServer
  readonly context: PathContext
  /** All servers of the cluster, this one included; the server alone when absent. */
  readonly peers?: readonly ServerAddress[]
  /** Texts of custom.d, which is read last. */
  readonly overlays?: Overlays
  /** PEM texts by file name (`ca-cert.pem` …) for ssl/. */
  readonly tls?: Readonly<Record<string, string>>
}

/** A tree in parts: the shared part, rendered once, and the part of each server, without overlays and certificates. */
export interface Template {
  readonly shared: FileTree
  readonly own: (server: ServerInput) => readonly TreeEntry[]
}

/** The whole tree of one server. Pure: equal input gives an equal tree. */
export function evaluateRules(input: Omit<TemplateInput, 'context'> & ServerInput): FileTree {
  const template = prepareTemplate({ ...input, context: input.context.kind })
  const { overlays = {}, tls = {} } = input
  return completeTree([...template.shared, ...template.own(input), ...overlayEntries(overlays), ...tlsEntries(tls)])
}

/** Splits the work: `shared` is rendered here and now, `own(server)` once for each server. */
export function prepareTemplate(input: TemplateInput): Template {
  const { rules } = selectRules(input.rules, input.tags, input.software)
  const memory = solveMemory(input.resources)
  const valuesOf = (server: ServerInput) => valuesFor(server, input.resources, memory)
  const anyValues = valuesOf(anyServer)
  const drafts = rules.flatMap((rule) => draftFiles(rule, input.software))
  const isOwn = ({ lines }: Draft) => lines.some(({ source }) => dependsOnServer(source, input.context))
  const own = drafts.filter(isOwn).map((draft) => freeze(draft, input.context, anyValues))
  const shared = drafts.filter((draft) => !isOwn(draft)).map((draft) => print(draft, anyValues))
  const printOwn = (server: ServerInput): readonly TreeEntry[] => {
    const values = valuesOf(server)
    return own.map((draft) => print(draft, values))
  }
  // Paths are the same for every server: the folders of server-specific files are shared, too.
  const folders = impliedFolders(printOwn(anyServer))
  const fixed = rules.flatMap((rule) => fixedEntries(rule, input.software))
  return { shared: completeTree([...folders, ...fixed, ...shared]), own: printOwn }
}

/** Input of the variables of one server. */
export const prepareValues = (input: Pick<TemplateInput, 'resources'> & ServerInput): VariableInput =>
  valuesFor(input, input.resources, solveMemory(input.resources))

const valuesFor = (
  { cluster, server, context, peers = [server] }: ServerInput,
  resources: Resources,
  memory: MemoryPlan,
): VariableInput => ({
  ...{ cluster, resources, memory, server, context, peers },
  paths: placePaths(context, server),
})

/** Placeholder where no data of a server is used. */
const anyServer: ServerInput = { cluster: '', server: { id: 'db0', host: '', port: 0 }, context: { kind: 'container' } }

/** A file that is not printed yet. */
interface Draft {
  readonly path: string
  readonly mode: number
  readonly lines: readonly Line[]
}

const print = ({ path, mode, lines }: Draft, values: VariableInput): TreeEntry => ({
  ...{ kind: 'file', path, mode },
  text: lines.map((line) => line.print(values)).join(''),
})

/** Prints the shared pieces once, adjacent ones joined, so that only the rest is printed for each server. */
function freeze(draft: Draft, context: PathContext['kind'], values: VariableInput): Draft {
  const lines: Line[] = []
  let same = ''
  for (const line of draft.lines) {
    if (dependsOnServer(line.source, context)) {
      lines.push(fixed(same), line)
      same = ''
    } else {
      same += line.print(values)
    }
  }
  return { ...draft, lines: [...lines, fixed(same)] }
}

const dependsOnServer = (text: string, context: PathContext['kind']): boolean =>
  (context !== 'container' && text.includes('./.system')) ||
  namesOfVariables(text).some((name) => {
    const scope = variables[name]?.scope
    return scope === 'server' || (scope === 'place' && context !== 'container')
  })

function draftFiles(rule: Rule, software: Software): readonly Draft[] {
  const files = rule.files.map(({ path, mode, content }) => ({ path, mode, lines: fileLines(content) }))
  const lines = fragmentLines(rule, software)
  if (lines.length === 0) return files
  return [...files, { path: `etc/mysql/conf.d/${rule.tag}.cnf`, mode: modeOf('generated'), lines }]
}

/** Folders, links, and the numbered link in rc.d that enables a fragment. */
function fixedEntries(rule: Rule, software: Software): readonly TreeEntry[] {
  const order = String(rule.order).padStart(2, '0')
  const active = fragmentLines(rule, software).length > 0
  const number = { path: `etc/mysql/rc.d/${order}_${rule.tag}.cnf`, target: `../conf.d/${rule.tag}.cnf` }
  return [
    ...rule.directories.map(({ path, mode }) => ({ kind: 'directory' as const, path, mode })),
    ...[...rule.links, ...(active ? [number] : [])].map(({ path, target }) => ({
      kind: 'link' as const,
      path,
      target,
    })),
  ]
}

/** The files of `ssl/`; keys are readable only by their owner. */
export const tlsEntries = (tls: Readonly<Record<string, string>>): readonly TreeEntry[] =>
  Object.entries(tls).map(([name, text]) => ({
    ...{ kind: 'file' as const, path: `etc/mysql/ssl/${name}`, text },
    mode: modeOf(name.includes('key') ? 'key' : 'certificate'),
  }))

/** The files of custom.d. */
export const overlayEntries = (overlays: Overlays): readonly TreeEntry[] =>
  overlayNames.map((name) => ({
    ...{ kind: 'file' as const, path: `etc/mysql/custom.d/${name}.cnf`, mode: modeOf('generated') },
    text: overlays[name] ?? emptyOverlay(name),
  }))
