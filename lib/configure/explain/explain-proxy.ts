// Describes the effect of a tag on a proxy, and of a change of tags on its files.
import { ok, type Result } from '../../base/result.js'
import type { Gate } from '../facts/gates.js'
import { evaluateProxy, type ProxyInput } from '../proxy/proxy.js'
import type { Rule, RulePart, RuleSet } from '../rules/rules.js'
import type { FileTree } from '../tree/tree.js'

/** Effect of a tag (or of a part that always holds) on proxies, a line each; variables are not replaced. */
export function explainProxyTag({ tag, category, always, doc, source, place, ...rule }: Rule): readonly string[] {
  return [
    `${tag} (proxy, ${category})${always ? ', always' : ''}: ${doc}`,
    `source: ${source}`,
    `written in: ${place.file}:${place.line}`,
    ...(rule.excludes.length === 0 ? [] : [`excludes: ${rule.excludes.join(', ')}`]),
    ...(rule.parts.length + rule.files.length === 0 ? ['writes no file'] : []),
    ...rule.parts.flatMap((part) => [`writes to ${part.file}${conditions(part)}:`, ...indented(part.text)]),
    ...rule.files.flatMap(({ path, content }) => [`writes ${path}:`, ...indented(content)]),
    ...(always ? [] : ['takes effect: when the proxy starts or reloads its configuration']),
  ]
}

function conditions(part: RulePart): string {
  const words = [
    ...part.gates.map(({ flavour }: Gate) => flavour),
    ...part.with.map((tag) => `with ${tag}`),
    ...part.without.map((tag) => `without ${tag}`),
    ...(part.each ? ['once for each database'] : []),
  ]
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

const indented = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)

/** What changes in the files of a proxy when its tags become `tags`: `+` lines that come, `-` lines that go. */
export function compareProxyTags(
  rules: RuleSet,
  input: ProxyInput,
  tags: readonly string[],
): Result<readonly string[]> {
  const before = evaluateProxy(rules, input)
  const after = evaluateProxy(rules, { ...input, tags })
  if (!before.ok) return before
  if (!after.ok) return after
  const paths = [...new Set([...before.value, ...after.value].map(({ path }) => path))].toSorted()
  const changes = paths.flatMap((path) => {
    const [was, is] = [linesOf(before.value, path), linesOf(after.value, path)]
    const lines = [...without(was, is).map((line) => `- ${line}`), ...without(is, was).map((line) => `+ ${line}`)]
    return lines.length === 0 ? [] : [`${path}:`, ...lines]
  })
  return ok(changes.length === 0 ? ['nothing changes in the files'] : [...changes, 'takes effect at the next start'])
}

function linesOf(tree: FileTree, path: string): readonly string[] {
  const entry = tree.find((each) => each.path === path)
  return entry?.kind === 'file' ? entry.text.split('\n').filter((line) => line.trim() !== '') : []
}

/** Lines of one text that are missing in the other, or occur there less often. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
