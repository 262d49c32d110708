// What is an alert, when it is repeated to someone else, and how many messages may be sent.
import { alertTriggers } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { integer, text } from '../../kit/shape.js'

export const alertRuleSettings = {
  'monitoring-alert-trigger': setting({
    shape: alertTriggers(),
    default: ['ERR', 'WARN0100', 'WARN0138', 'WARN0370'],
    scope: 'cluster',
    apply: 'live',
    doc: 'Findings that are alerts: codes or their beginnings (`ERR`), `error` and `warning` for a severity. Failovers, failed operations and servers that fail are always alerts.',
  }),
  'alert-escalation-time': setting({
    shape: integer({ unit: 'seconds' }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    doc: 'An error that lasts so long after its alert, and that nobody acknowledged, is sent once more, to alert-escalation-mail-to; 0: never.',
  }),
  'alert-escalation-mail-to': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Receivers of escalated alerts, comma-separated; empty: mail-to. The other channels receive them, too.',
  }),
  'alert-storm-limit': setting({
    shape: integer({ min: 1, max: 100, unit: 'messages' }),
    default: 3,
    scope: 'cluster',
    apply: 'live',
    doc: 'Messages to one receiver within five minutes; what comes on top is gathered into one message every alert-storm-interval. For failovers and new errors only messages of that kind count.',
  }),
  'alert-storm-interval': setting({
    shape: integer({ min: 10, max: 3600, unit: 'seconds' }),
    default: 120,
    scope: 'cluster',
    apply: 'live',
    doc: 'Interval of the gathered messages while more than alert-storm-limit would be sent.',
  }),
}
