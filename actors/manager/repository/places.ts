// Where the repository is: its remote by the settings, its folder, and the reference to what both sides agreed on.
import { createHash } from 'node:crypto'
import type { Remote } from '../../../lib/git/client/repository.js'
import type { Settings } from '../../../lib/settings/table/index.js'

/** Below the working directory. */
export const REPOSITORY_FOLDER = '.repository'

/** A commit that is pushed nowhere; of this address: another repository has agreed on nothing yet. */
export const baseRefOf = (url: string): string =>
  `refs/manager/base/${createHash('sha256').update(url).digest('hex').slice(0, 16)}`

/** Undefined where the configuration is kept in no repository. */
export function remoteOf(settings: Settings): Remote | undefined {
  const url = settings['git-url']
  if (url === '') return undefined
  return {
    ...{ url, username: settings['git-username'], token: settings['git-acces-token'] },
    caCert: settings['git-ca-cert'],
  }
}
