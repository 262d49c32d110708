// Keeps the encrypted form of secrets that did not change: each save encrypts them again, and a commit is to show what changed.
import { reveal, type Secret } from '../../base/secret.js'
import { readToml } from '../../settings/load/toml.js'
import { decryptSecret, isEncrypted } from '../../settings/secret/secrets.js'

/** `text` with the encrypted values of `former` where both decrypt to the same secret. */
export function keepSealed(text: string, former: string | undefined, key: Secret | undefined): string {
  if (former === undefined || key === undefined || former === text) return text
  const known = sealedValues(former)
  let kept = text
  for (const [place, sealed] of sealedValues(text)) {
    const before = known.get(place)
    if (before !== undefined && before !== sealed && isSame(before, sealed, key)) kept = kept.replaceAll(sealed, before)
  }
  return kept
}

const sealedValues = (text: string): ReadonlyMap<string, string> =>
  new Map(
    readToml(text, '', 'saved').sections.flatMap(({ name: section, entries }) =>
      entries.flatMap(({ name, value }) =>
        typeof value === 'string' && isEncrypted(value) ? [[`${section}\n${name}`, value] as const] : [],
      ),
    ),
  )

function isSame(left: string, right: string, key: Secret): boolean {
  const [one, other] = [decryptSecret(left, key), decryptSecret(right, key)]
  return one.ok && other.ok && reveal(one.value) === reveal(other.value)
}
