// Changes of a list of tags: contradictions between tags, and suggestions for unknown names.
import { fail, ok, type Result } from '../../base/result.js'
import { suggest } from '../../base/suggest.js'
import type { Rule } from './rules.js'
import { withIncluded } from './select.js'

/** The properties of a tag needed to choose it; rules of databases and of proxies have them. */
export type TagRule = Pick<Rule, 'tag' | 'category' | 'doc' | 'always' | 'includes' | 'excludes'>

export interface TagSet {
  readonly rules: readonly TagRule[]
}

export interface TagAddition {
  readonly tag: string
  /** Drops the tags that contradict it; otherwise one of them refuses it. */
  readonly replace?: boolean
}

/** The tags that a list may contain: the rules that apply only when chosen. */
export const choosableTags = ({ rules }: TagSet): readonly TagRule[] => rules.filter(({ always }) => !always)

/** The list with a tag. Already included: unchanged. `unknown-tag` names the nearest one, `tag-conflict` the contradicting tag. */
export function addTag(
  set: TagSet,
  tags: readonly string[],
  { tag, replace = false }: TagAddition,
): Result<readonly string[]> {
  const known = choosableTags(set).map((rule) => rule.tag)
  if (!known.includes(tag)) return fail('unknown-tag', unknownTagText(tag, known))
  if (tags.includes(tag)) return ok(tags)
  const others = contradicting(set, tags, tag)
  if (others.length > 0 && !replace) {
    const text = `${tag} contradicts ${others.join(' and ')}, which ${others.length === 1 ? 'is' : 'are'} set`
    return fail('tag-conflict', `${text}: drop that first, or replace it`)
  }
  return ok([...tags.filter((each) => !others.includes(each)), tag])
}

/** The list without a tag; not in it: unchanged when it is a tag at all, else `unknown-tag`. */
export function dropTag(set: TagSet, tags: readonly string[], tag: string): Result<readonly string[]> {
  if (tags.includes(tag)) return ok(tags.filter((each) => each !== tag))
  const known = choosableTags(set).map((rule) => rule.tag)
  return known.includes(tag) ? ok(tags) : fail('unknown-tag', unknownTagText(tag, [...tags, ...known]))
}

/** The tags of the list that exclude `tag` or are excluded by it, directly or by included tags. */
export function contradicting(set: TagSet, tags: readonly string[], tag: string): readonly string[] {
  const byTag = new Map(set.rules.map((rule) => [rule.tag, rule]))
  const wanted = withIncluded([tag], byTag)
  const exclude = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
    [...one].some((each) => byTag.get(each)?.excludes.some((excluded) => other.has(excluded)) ?? false)
  return tags.filter((each) => {
    const present = withIncluded([each], byTag)
    return exclude(wanted, present) || exclude(present, wanted)
  })
}

function unknownTagText(tag: string, known: readonly string[]): string {
  const near = suggest(tag, known)
  return `no rule defines the tag ${tag}${near === undefined ? '' : `; did you mean ${near}?`}`
}
