// What differs between two values of plain data, as plain data: polled values mostly repeat, and only the rest is stored.

/** Objects, lists, and what is compared by value. */
export type Plain = unknown

/** `0`: the part is gone. `[value]`: it is this now. Else what differs in its parts, by name or index. */
export type Patch = 0 | readonly [Plain] | { readonly [part: string]: Patch }

/** Called with each text that is stored; answers the text to store instead. */
export type StoreText = (text: string) => string

const asIs: StoreText = (text) => text

/**
 * What leads from `before` to `after`; undefined where they are equal. Properties that are undefined count as missing, as
 * JSON has it. Neither argument is changed, and nothing of them is shared with the patch but texts.
 */
export function comparePlain(before: Plain, after: Plain, store: StoreText = asIs): Patch | undefined {
  if (before === after) return undefined
  if (!isBranch(before) || !isBranch(after) || !areAlike(before, after)) return [copyPlain(after, store)]
  let patch: Record<string, Patch> | undefined
  for (const part in after) {
    const value = after[part]
    if (value === undefined) continue
    const earlier = partOf(before, part)
    const change = earlier === undefined ? ([copyPlain(value, store)] as const) : comparePlain(earlier, value, store)
    if (change === undefined) continue
    patch ??= {}
    setPart(patch, part, change)
  }
  for (const part in before) {
    if (before[part] === undefined || partOf(after, part) !== undefined) continue
    patch ??= {}
    setPart(patch, part, 0)
  }
  return patch
}

/** The value that `patch` leads to. What has not changed is shared with `before`. Throws on what is no patch of it. */
export function applyPatch(before: Plain, patch: Patch | undefined): Plain {
  if (patch === undefined) return before
  if (Array.isArray(patch)) return patch[0]
  if (patch === 0 || !isBranch(before)) throw new TypeError('the change does not fit what it is a change of')
  const next: Record<string, Plain> = (Array.isArray(before) ? [...before] : { ...before }) as Record<string, Plain>
  for (const [part, change] of Object.entries(patch as Readonly<Record<string, Patch>>)) {
    if (change === 0) delete next[part]
    else setPart(next, part, applyPatch(partOf(next, part), change))
  }
  return next
}

/** A copy as JSON would make it, with each text as it is to be stored. */
export function copyPlain(value: Plain, store: StoreText = asIs): Plain {
  if (typeof value === 'string') return store(value)
  if (!isBranch(value)) return value
  if (Array.isArray(value)) return value.map((part) => (part === undefined ? null : copyPlain(part, store)))
  const copy: Record<string, Plain> = {}
  for (const part in value) if (value[part] !== undefined) setPart(copy, part, copyPlain(value[part], store))
  return copy
}

/** A part of its own: an object without a part `constructor` has none, whatever its prototype has. */
const partOf = (value: Branch, part: string): Plain => (Object.hasOwn(value, part) ? value[part] : undefined)

/** Sets a part, `__proto__` too, and no prototype. */
function setPart<Part>(target: Record<string, Part>, part: string, value: Part): void {
  if (part === '__proto__')
    Object.defineProperty(target, part, { value, enumerable: true, configurable: true, writable: true })
  else target[part] = value
}

/** Two lists of other lengths are no versions of each other. */
const areAlike = (before: Branch, after: Branch): boolean =>
  Array.isArray(before) ? Array.isArray(after) && before.length === after.length : !Array.isArray(after)

type Branch = Readonly<Record<string, Plain>>

const isBranch = (value: Plain): value is Branch => typeof value === 'object' && value !== null
