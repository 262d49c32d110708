// The configuration in a git repository: where it is, how it is reached, what becomes of changes made there.
import { secret } from '../../../base/secret.js'
import { setting } from '../../kit/row.js'
import { boolean, filePath, integer, oneOf, secretText, type TextRule, text } from '../../kit/shape.js'

/** A login in an address would be in logs and lists of processes. */
const address: TextRule = {
  pattern: /^$|^https:\/\/[^\s/@?#]+\/[^\s@?#]+$|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?\/[^\s@?#]+$/,
  allowed: 'an https address without user and password, as https://git.example.com/group/project.git',
}

export const repositorySettings = {
  'git-url': setting({
    shape: text(address),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Address of the git repository that keeps the configuration: each change is pushed to its branch main; empty: none.',
  }),
  'git-username': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Account at the git host; empty: oauth2, which hosts accept with a token.',
  }),
  'git-acces-token': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'server',
    apply: 'live',
    was: ['git-access-token'],
    doc: 'Token or password of the account at the git host, with the right to push.',
  }),
  'git-ca-cert': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'live',
    machine: 'key',
    doc: 'CA certificate of the git host (PEM); empty: those of the system.',
  }),
  'git-monitoring-ticker': setting({
    shape: integer({ min: 1, max: 86_400, unit: 's' }),
    default: 60,
    scope: 'server',
    apply: 'live',
    doc: 'How often the repository is checked for changes that others pushed.',
  }),
  'git-changes': setting({
    shape: oneOf(['approve', 'apply']),
    default: 'approve',
    scope: 'server',
    apply: 'live',
    doc: 'approve: changes that others pushed wait for a decision. apply: those that are valid and remove no cluster are applied at once.',
  }),
  'monitoring-restore-config-on-start': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'restart',
    doc: 'Restores the configuration from git-url at the start, once for a working directory: the saved changes there are replaced. The key file of the former host is needed.',
  }),
  'monitoring-confdir-backup': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Directory to which saved changes are copied before monitoring-restore-config-on-start replaces them; empty: only .old files are kept.',
  }),
}
