// Secrets kept in a vault; the configuration repository.
import { secret } from '../../base/secret.js'
import { setting } from '../kit.js'
import { integer, oneOf, secretText, text } from '../shape.js'

export const vaultSettings = {
  'vault-server-addr': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Address of the vault.',
  }),
  'vault-mode': setting({
    shape: oneOf(['config_store_v2', 'database_engine']),
    default: 'config_store_v2',
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'How secrets are kept there.',
  }),
  'vault-auth': setting({
    shape: oneOf(['approle']),
    default: 'approle',
    scope: 'cluster',
    apply: 'live',
    doc: 'How the manager logs in there.',
  }),
  'vault-role-id': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    doc: 'Role.',
  }),
  'vault-secret-id': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    doc: 'Secret of the role.',
  }),
  'vault-token': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    doc: 'Token.',
  }),
  'vault-mount': setting({
    shape: text(),
    default: 'kv',
    scope: 'cluster',
    apply: 'live',
    doc: 'Mount of the key-value store.',
  }),
  'git-url': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    used: false,
    doc: 'Repository of the configuration.',
  }),
  'git-url-pull': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    used: false,
    doc: 'Repository plugins and licenses are pulled from.',
  }),
  'git-username': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    used: false,
    doc: 'Account there.',
  }),
  'git-acces-token': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'server',
    apply: 'live',
    was: ['git-access-token'],
    used: false,
    doc: 'Token of that account.',
  }),
  'git-monitoring-ticker': setting({
    shape: integer({ min: 1, unit: 'seconds' }),
    default: 60,
    scope: 'server',
    apply: 'live',
    used: false,
    doc: 'Time between two pulls.',
  }),
}
