// Reads a folder of rules; a set with any fault is refused with all of them.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sharePath } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import {
  checkRules,
  faultText,
  type Known,
  parseKnown,
  type RuleFile,
  type RuleKind,
  type RuleSet,
} from '../../lib/configure/index.js'
import { digest } from './input.js'

export interface LoadedRules {
  readonly set: RuleSet
  /** What each server software knows, by version. */
  readonly known: Known
  /** Changes with the text of any file. */
  readonly digest: string
}

/** The `*.yaml` files of `directory` as a rule set; `bad-configuration` lists every fault with file and line. */
export async function readRules(directory: string, kind: RuleKind = 'database'): Promise<Result<LoadedRules>> {
  const files = await readFiles(directory, '.yaml')
  if (!files.ok) return files
  const known = await readKnown()
  if (!known.ok) return known
  const { set, faults } = checkRules(files.value, { known: known.value, kind })
  if (faults.length > 0) return fail('bad-configuration', faults.map(faultText).join('\n'))
  return ok({ set, known: known.value, digest: digest(JSON.stringify(files.value)) })
}

/** What each server software knows: the lists of `share/rules/known`. */
export async function readKnown(): Promise<Result<Known>> {
  const files = await readFiles(sharePath('rules', 'known'), '.tsv')
  return files.ok ? ok(parseKnown(files.value)) : files
}

async function readFiles(directory: string, ending: string): Promise<Result<readonly RuleFile[]>> {
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith(ending)).toSorted()
    if (names.length === 0) return fail('file-unreadable', `${directory} holds no rules (*${ending})`)
    return ok(
      await Promise.all(
        names.map(async (name) => ({
          file: path.join(path.basename(directory), name),
          text: await readFile(path.join(directory, name), 'utf8'),
        })),
      ),
    )
  } catch (error) {
    return fail('file-unreadable', `${directory}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
