// Hosted services: the identity of this manager there, its license, and alerts that are forwarded.
import { secret } from '../../../base/secret.js'
import { setting } from '../../kit/row.js'
import { boolean, filePath, secretText, type TextRule, text } from '../../kit/shape.js'

const slug: TextRule = {
  pattern: /^$|^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  allowed: 'lower-case letters, digits and inner hyphens, or nothing',
}

const address: TextRule = { pattern: /^$|^https?:\/\/[^\s/]+\S*$/, allowed: 'an http or https address, or nothing' }

/** Passwords are sent there: in clear only to this machine. */
const service: TextRule = {
  pattern: /^$|^https:\/\/[^\s/?#]+[^\s?#]*$|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?(\/[^\s?#]*)?$/,
  allowed: 'an https address (http only to this machine), or nothing',
}

const identity = (doc: string) =>
  setting({ ...{ shape: text(slug), default: '', scope: 'server', apply: 'live', doc } })

export const hostedSettings = {
  hosted: setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'live',
    doc: 'Connects this manager to a hosted service: its plan is determined and what that permits is done, and what clusters cost is accounted (share/doc/price.md). Off: nothing of it runs or is sent.',
  }),
  'hosted-domain': identity('First part of the name of this manager at the hosted service: the organisation.'),
  'hosted-sub-domain': identity('Second part of that name: the data center or environment.'),
  'hosted-sub-domain-zone': identity('Third part of that name: the zone.'),
  'hosted-crm-api-url': setting({
    shape: text(service),
    default: '',
    scope: 'server',
    apply: 'live',
    machine: 'account',
    doc: 'Address of the registration API of the hosted service; empty: none, and nothing can be registered.',
  }),
  'hosted-gitlab-user': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    json: 'hostedGitlabUser',
    jsonWas: ['hostedGitUser'],
    doc: 'E-mail address of the account at the hosted service, set by a registration: signs questions about the subscription.',
  }),
  'hosted-gitlab-password': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'server',
    apply: 'live',
    machine: 'account',
    doc: 'Password of that account; kept encrypted where monitoring-key-path names a key.',
  }),
  'hosted-license-file': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'live',
    machine: 'file',
    doc: 'license.json of a manager without a way to the hosted service, with license.sig beside it: gives the plan. One that is missing or wrong is reported (WARN0420), the plan is free then.',
  }),
  'hosted-alert': setting({
    shape: boolean(),
    default: true,
    scope: 'server',
    apply: 'live',
    doc: 'Forwards alerts to the hosted service where the plan permits it (every plan but free).',
  }),
  'hosted-alert-slack-url': setting({
    shape: secretText(address),
    default: secret(''),
    scope: 'server',
    apply: 'live',
    machine: 'account',
    doc: 'Incoming webhook of the hosted service that receives forwarded alerts, as of Slack; empty: none are forwarded.',
  }),
  'hosted-alert-slack-channel': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Channel of forwarded alerts; empty: that of the webhook.',
  }),
  'hosted-alert-slack-user': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Sender that forwarded alerts show; empty: that of the webhook.',
  }),
}
