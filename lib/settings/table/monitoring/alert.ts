// Mail.
import { secret } from '../../../base/secret.js'
import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, secretText, text } from '../../kit/shape.js'

export const alertSettings = {
  'mail-from': setting({
    shape: text(),
    default: 'manager@localhost',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Sender.',
  }),
  'mail-to': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Receivers, comma-separated; empty: no mail.',
  }),
  'mail-allowed-domains': setting({
    shape: list({ pattern: /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/, allowed: 'domains such as example.com' }),
    default: [],
    scope: 'server',
    apply: 'live',
    doc: 'Domains of mail addresses that are set at run time (mail-to, alert-escalation-mail-to, users that were added), each as it is written after the @; empty: any. Addresses of configuration files, environment and flags are not limited.',
  }),
  'mail-smtp-addr': setting({
    shape: text(),
    default: 'localhost:25',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Mail server, host:port.',
  }),
  'mail-smtp-user': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Account at the mail server.',
  }),
  'mail-smtp-password': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Password of that account.',
  }),
  'mail-smtp-tls-skip-verify': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Accepts any certificate of the mail server.',
  }),
  'mail-timeout': setting({
    shape: integer({ min: 1, unit: 'seconds' }),
    default: 5,
    scope: 'cluster',
    apply: 'live',
    doc: 'Longest time a mail may take.',
  }),
  'mail-max-pool': setting({
    shape: integer({ max: 20, unit: 'connections' }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    doc: 'Connections to the mail server that are kept for further mails; 0: one for each mail.',
  }),
}
