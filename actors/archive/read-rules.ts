// Reads a folder of rules; a set with any fault is refused with all of them. Rules that the build compiled are not parsed again.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { builtPath, sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { type Known, parseKnown } from '../../lib/configure/rules/known.js'
import type { RuleKind, RuleSet } from '../../lib/configure/rules/rules.js'
import { insertScripts, namedScripts } from '../../lib/configure/rules/scripts.js'
import { digest } from './input.js'

export interface LoadedRules {
  readonly set: RuleSet
  /** The options of each server software, by version. */
  readonly known: Known
  /** Changes with the text of any file. */
  readonly digest: string
}

/** A checked rule set as the build writes it. Valid for exactly the files that it names. */
interface CompiledRules {
  /** Of the rule files and the lists of known options. */
  readonly source: string
  readonly set: RuleSet
}

interface RuleText {
  readonly file: string
  readonly text: string
}

interface RuleSource {
  readonly files: readonly RuleText[]
  readonly lists: readonly RuleText[]
}

/** The `*.yaml` files of `directory` as a rule set; `bad-configuration` lists every fault with file and line. */
export async function readRules(directory: string, kind: RuleKind = 'database'): Promise<Result<LoadedRules>> {
  const read = await readSource(directory)
  if (!read.ok) return read
  const { files, lists } = read.value
  const known = parseKnown(lists)
  const compiled = await readCompiled(kind, sourceDigest(read.value))
  const set = compiled ? ok(compiled) : await parseRules(files, { known, kind })
  return set.ok ? ok({ set: set.value, known, digest: digest(JSON.stringify(files)) }) : set
}

/** Checks the rules of the package and writes them to `dist/rules`, for `readRules`. Part of the build. */
export async function compileRules(kind: RuleKind): Promise<Result<void>> {
  const read = await readSource(sharePath('rules', kind))
  if (!read.ok) return read
  const set = await parseRules(read.value.files, { known: parseKnown(read.value.lists), kind })
  if (!set.ok) return set
  const compiled: CompiledRules = { source: sourceDigest(read.value), set: set.value }
  await mkdir(builtPath('rules'), { recursive: true })
  await writeFile(compiledFile(kind), JSON.stringify(compiled))
  return ok(undefined)
}

const compiledFile = (kind: RuleKind): string => builtPath('rules', `${kind}.json`)

const sourceDigest = (source: RuleSource): string => digest(JSON.stringify(source))

/** The compiled set when it was built from exactly these files: rules that an operator changed are parsed. */
async function readCompiled(kind: RuleKind, source: string): Promise<RuleSet | undefined> {
  const text = await readFile(compiledFile(kind), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // Written by the build, read by the same version: the digest of all sources is its check.
  const compiled = JSON.parse(text) as CompiledRules
  return compiled.source === source ? compiled.set : undefined
}

async function parseRules(
  files: readonly RuleText[],
  options: { readonly known: Known; readonly kind: RuleKind },
): Promise<Result<RuleSet>> {
  // The YAML parser and the checks are loaded only where rules are parsed.
  const { checkRules, faultText } = await import('../../lib/configure/rules/check.js')
  const { set, faults } = checkRules(files, options)
  return faults.length > 0 ? fail('bad-configuration', faults.map(faultText).join('\n')) : ok(set)
}

async function readSource(directory: string): Promise<Result<RuleSource>> {
  const files = await readFiles(directory, '.yaml')
  if (!files.ok) return files
  const lists = await readFiles(sharePath('rules', 'known'), '.tsv')
  return lists.ok ? ok({ files: files.value, lists: lists.value }) : lists
}

async function readFiles(directory: string, ending: string): Promise<Result<readonly RuleText[]>> {
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith(ending)).toSorted()
    if (names.length === 0) return fail('file-unreadable', `${directory} holds no rules (*${ending})`)
    return ok(
      await Promise.all(
        names.map(async (name) => ({
          file: path.join(path.basename(directory), name),
          text: await withScripts(await readFile(path.join(directory, name), 'utf8')),
        })),
      ),
    )
  } catch (error) {
    return fail('file-unreadable', `${directory}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Scripts are files of their own, which editors and the shell linter read. */
async function withScripts(text: string): Promise<string> {
  const names = namedScripts(text)
  const read = names.map(async (name) => [name, await readFile(sharePath('scripts', name), 'utf8')] as const)
  return insertScripts(text, new Map(await Promise.all(read)))
}
