// The shipped rules and inputs to evaluate them with, for specs of the configurator.
import { readdirSync, readFileSync } from 'node:fs'
import { sharePath } from '../../../lib/base/package-root.js'
import { unwrap } from '../../../lib/base/result.js'
import {
  checkRules,
  evaluateRules,
  type FileTree,
  type PathContext,
  type RuleFile,
  type RuleSet,
  readConfigureSettings,
  type Software,
} from '../../../lib/configure/index.js'
import { insertScripts, namedScripts } from '../../../lib/configure/rules/scripts.js'

/** The files of `share/rules/database`. */
export const shippedFiles = (): readonly RuleFile[] =>
  readdirSync(sharePath('rules/database'))
    .toSorted()
    .map((name) => {
      const text = readFileSync(sharePath('rules/database', name), 'utf8')
      const scripts = namedScripts(text).map(
        (script) => [script, readFileSync(sharePath('scripts', script), 'utf8')] as const,
      )
      return { file: `database/${name}`, text: insertScripts(text, new Map(scripts)) }
    })

let shipped: RuleSet | undefined

/** Checked once for each process: that takes about as long as a server's start. */
export function shippedRules(): RuleSet {
  shipped ??= checkRules(shippedFiles()).set
  return shipped
}

export const mariadb: Software = { flavour: 'mariadb', version: { major: 10, minor: 11, patch: 19 } }

export interface TreeRequest {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly rules?: RuleSet
  readonly software?: Software
  readonly context?: PathContext
  readonly port?: number
  readonly overlays?: Parameters<typeof evaluateRules>[0]['overlays']
}

/** The tree of a server of the cluster demo; everything not requested is the default. */
export function treeFor({
  settings = {},
  rules = shippedRules(),
  software = mariadb,
  ...request
}: TreeRequest = {}): FileTree {
  const { tags, resources } = unwrap(readConfigureSettings(settings))
  return evaluateRules({
    ...{ rules, tags, resources, software, cluster: 'demo' },
    server: { id: 'db4711081512345678', host: '127.0.0.1', port: request.port ?? 3306 },
    context: request.context ?? { kind: 'container' },
    ...(request.overlays === undefined ? {} : { overlays: request.overlays }),
  })
}

/** The text of a file of a tree; empty when it is not there. */
export function textOf(tree: FileTree, path: string): string {
  const entry = tree.find((each) => each.path === path)
  return entry?.kind === 'file' ? entry.text : ''
}

/** The text of a tag's fragment. */
export const fragment = (tree: FileTree, tag: string): string => textOf(tree, `etc/mysql/conf.d/${tag}.cnf`)
