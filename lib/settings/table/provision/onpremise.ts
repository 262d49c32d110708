// Database hosts that are reached over SSH: account, trust, limits, own scripts.
import { secret } from '../../../base/secret.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, oneOf, port, secretText, text } from '../../kit/shape.js'

export const onpremiseSettings = {
  'onpremise-ssh': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Actions run on hosts over SSH; without it, scripts on the hosts poll the need endpoints.',
  }),
  'onpremise-ssh-port': setting({
    shape: port(),
    default: 22,
    scope: 'cluster',
    apply: 'live',
    doc: 'Port of SSH.',
  }),
  'onpremise-ssh-credential': setting({
    shape: secretText(),
    default: secret('root:'),
    scope: 'cluster',
    apply: 'live',
    doc: 'Account of SSH: user[:password].',
  }),
  'onpremise-ssh-private-key': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'key',
    doc: 'Private key file of SSH, without passphrase; empty: id_ed25519 or id_rsa of the manager’s user, unless a password is given.',
  }),
  'onpremise-ssh-known-hosts': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'key',
    doc: 'File of trusted host keys (OpenSSH known_hosts); empty: known_hosts in monitoring-datadir.',
  }),
  'onpremise-ssh-first-use': setting({
    shape: oneOf(['accept', 'refuse']),
    default: 'accept',
    scope: 'cluster',
    apply: 'live',
    doc: 'What happens to a host that file does not know: its key is added, or it is refused. A changed key is refused always.',
  }),
  'onpremise-ssh-sudo': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Scripts run through sudo -n: the account is not root.',
  }),
  'onpremise-ssh-max-hosts': setting({
    shape: integer({ min: 1, max: 1000, unit: 'hosts' }),
    default: 8,
    scope: 'cluster',
    apply: 'live',
    doc: 'Hosts of a cluster that are processed concurrently.',
  }),
  'onpremise-ssh-connect-timeout': setting({
    shape: integer({ min: 1, unit: 's' }),
    default: 10,
    scope: 'cluster',
    apply: 'live',
    doc: 'Timeout of the login to a host.',
  }),
  'onpremise-ssh-deadline': setting({
    shape: integer({ min: 1, unit: 's' }),
    default: 900,
    scope: 'cluster',
    apply: 'live',
    doc: 'Timeout of one action on one host, from its start.',
  }),
  'onpremise-ssh-start-db-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'File on the manager’s machine, run on the host in place of the built-in start script.',
  }),
  'onpremise-ssh-stop-db-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'File on the manager’s machine, run on the host in place of SHUTDOWN over SQL.',
  }),
}
