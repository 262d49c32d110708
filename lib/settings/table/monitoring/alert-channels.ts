// Where alerts are sent besides mail: chat, push messages, webhooks, syslog, a script.
import { secret } from '../../../base/secret.js'
import { setting } from '../../kit/row.js'
import { secretText, type TextRule, text } from '../../kit/shape.js'

const address: TextRule = { pattern: /^$|^https?:\/\/[^\s/]+\S*$/, allowed: 'an http or https address, or nothing' }

const syslog: TextRule = {
  pattern: /^$|^(udp:\/\/|tcp:\/\/)?(\[[0-9a-fA-F:]+\]|[^\s:/]+)(:\d{1,5})?$/,
  allowed: 'host, host:port (UDP) or tcp://host:port, or nothing',
}

/** An address that is a secret: anyone who knows it can send. */
const secretAddress = (doc: string) =>
  setting({
    ...{ shape: secretText(address), default: secret(''), scope: 'cluster', apply: 'live', machine: 'account', doc },
  })

export const alertChannelSettings = {
  'alert-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'Runs at every change of a server’s state that is not silenced; arguments: address of the server, old state, new state.',
  }),
  'alert-slack-url': secretAddress('Incoming webhook of Slack, or of a chat that takes the same messages; empty: off.'),
  'alert-slack-channel': setting({
    shape: text(),
    default: '#support',
    scope: 'cluster',
    apply: 'live',
    doc: 'Channel of the chat; empty: that of the webhook.',
  }),
  'alert-slack-user': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Sender that the chat shows; empty: that of the webhook.',
  }),
  'alert-teams-url': secretAddress('Incoming webhook of Microsoft Teams; empty: off.'),
  'alert-teams-proxy-url': secretAddress('HTTP proxy through which Teams is reached; empty: none.'),
  'alert-teams-state': setting({
    shape: text({ pattern: /^[\w\s,-]*$/, allowed: 'beginnings of codes, comma-separated, or nothing' }),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Only alerts about codes with one of these beginnings are sent to Teams, e.g. `ERR,WARN01`; empty: all.',
  }),
  'alert-pushover-app-token': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    doc: 'Token of the application at Pushover; empty: off.',
  }),
  'alert-pushover-user-token': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    doc: 'Token of the user or group at Pushover; empty: off.',
  }),
  'alert-pushover-url': setting({
    shape: text({ ...address, pattern: /^https?:\/\/[^\s/]+\S*$/, allowed: 'an http or https address' }),
    default: 'https://api.pushover.net/1/messages.json',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Where push messages are sent: Pushover, or a gateway to it.',
  }),
  'alert-webhook-url': secretAddress('Receives every alert as JSON; empty: off.'),
  'alert-webhook-secret': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    doc: 'Key that signs what alert-webhook-url receives (HMAC-SHA256, header webhook-signature); empty: no signature.',
  }),
  'alert-syslog': setting({
    shape: text(syslog),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'account',
    doc: 'Syslog server (RFC 5424) that receives alerts: `host:514` by UDP, `tcp://host:601` by TCP, which notices an outage; empty: off.',
  }),
}
