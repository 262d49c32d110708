// Changes of the repository made here: the same calls as those of people, so they are checked, recorded and undone alike.
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal, type Secret } from '../../../lib/base/secret.js'
import type { ScopeEdit } from '../../../lib/git/content/compare.js'
import { decryptSecret, isEncrypted } from '../../../lib/settings/secret/secrets.js'
import { findSetting, settingRow } from '../../../lib/settings/table/index.js'
import type { ChangesFace } from '../../protocol/manager/changes.js'
import type { Decision } from '../../protocol/manager/repository.js'

export interface Applying extends Pick<Decision, 'caller'> {
  readonly edits: readonly ScopeEdit[]
  /** Opens secrets that were encrypted with the key of this manager. */
  readonly key: Secret | undefined
}

/** One scope after the other; those that are done stay, and are no difference any more when it is repeated. */
export async function applyEdits(changes: ChangesFace, { edits, caller, key }: Applying): Promise<Result<void>> {
  for (const { scope, change, values } of edits) {
    const opened = openValues(values, key)
    if (!opened.ok) return opened
    const made = await applyScope(changes, { scope, change, values: opened.value, caller })
    if (!made.ok) return made
  }
  return done
}

interface ScopeChange extends Pick<Decision, 'caller'>, Pick<ScopeEdit, 'scope' | 'change'> {
  readonly values: Readonly<Record<string, unknown>>
}

async function applyScope(changes: ChangesFace, { scope, change, values, caller }: ScopeChange): Promise<Result<void>> {
  const { user, may } = caller
  if (change === 'remove') return changes.deleteCluster(scope, user)
  if (change === 'add') {
    const added = await changes.addCluster(scope, {}, user)
    if (!added.ok) return added
  }
  return changes.editSettings({ cluster: scope, user, may }, values)
}

function openValues(values: ReadonlyMap<string, unknown>, key: Secret | undefined): Result<Record<string, unknown>> {
  const opened: Record<string, unknown> = {}
  for (const [name, value] of values) {
    if (typeof value !== 'string' || !isEncrypted(value)) {
      opened[name] = value
      continue
    }
    const text = key === undefined ? fail('bad-secret', 'there is no key file') : decryptSecret(value, key)
    if (!text.ok) return fail('bad-secret', `${name}: ${text.failure.message}`)
    opened[name] = reveal(text.value)
  }
  return ok(opened)
}

/** A former password is not the one that servers have. */
export const withoutSecrets = (edit: ScopeEdit): ScopeEdit => ({
  ...edit,
  values: new Map([...edit.values].filter(([name]) => !isSecretSetting(name))),
})

function isSecretSetting(name: string): boolean {
  const setting = findSetting(name)
  return setting !== undefined && settingRow(setting).secret
}
