// Secrets kept in a vault; the configuration repository.
import { secret } from '../../../base/secret.js'
import { setting } from '../../kit/row.js'
import { oneOf, secretText, text } from '../../kit/shape.js'

export const vaultSettings = {
  'vault-server-addr': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Address of the vault.',
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
}
