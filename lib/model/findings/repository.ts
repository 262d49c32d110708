// Findings of the configuration repository (git-url): it cannot be used, a file is refused, a change of others waits.
import type { Row } from './row.js'

export const repository = {
  WARN0132: [
    'warning',
    'CONF',
    'The configuration repository cannot be used.',
    'Correct what the detail names: git-url, the account, the git host or the network to it. Changes wait and are pushed then.',
  ],
  WARN0395: [
    'warning',
    'CONF',
    'The configuration is not pushed: a file contains a secret in clear.',
    'Create a key (bin/manager keygen), restart, and set the named settings again: they are saved encrypted.',
  ],
  WARN0396: [
    'warning',
    'CONF',
    'Others changed the configuration in its repository, and that is not in force.',
    'Read the plan (manager-cli repository apply <commit> --plan), then apply or reject it.',
  ],
} as const satisfies Readonly<Record<string, Row>>
