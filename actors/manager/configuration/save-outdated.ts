// Rewrites files of saved changes from which something was dropped at load: otherwise it would return with the value that
// it once replaced.

import type { WriteLog } from '../../../lib/base/log-codes.js'
import type { Loaded } from '../../../lib/settings/load/load.js'
import { saveChanges } from '../../../lib/settings/load/saved.js'

/** A file that cannot be written is logged: the next load drops the same entries again. */
export async function saveOutdated(loaded: Extract<Loaded, { readonly ok: true }>, log: WriteLog): Promise<void> {
  for (const scope of loaded.outdated) {
    const saved = await saveChanges(loaded.configuration, scope)
    if (!saved.ok) log('error', 'settings-unsaved', { cluster: scope, reason: saved.failure.message })
  }
}
