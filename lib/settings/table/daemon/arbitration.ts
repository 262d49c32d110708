// Managers of several sites, of which an arbitrator lets one act on each cluster.
import { secret } from '../../../base/secret.js'
import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, filePath, integer, secretText, type TextRule, text } from '../../kit/shape.js'

const address: TextRule = {
  pattern: /^$|^(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}$/,
  allowed: 'host:port, or nothing',
}

const peer: TextRule = {
  pattern: /^(https?:\/\/)?(\[[0-9a-fA-F:]+\]|[\w.-]+)(:\d{1,5})?\/?$/,
  allowed: 'host:port, or an http or https address without a path',
}

export const arbitrationSettings = {
  'arbitration-external': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'restart',
    doc: 'Acts on a cluster only while the arbitrator lets this manager; the others watch it. For managers of several sites with working directories of their own.',
  }),
  'arbitration-external-hosts': setting({
    shape: text(address),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Address of the arbitrator (bin/arbitrator), best at a site of its own; the same for all managers.',
  }),
  'arbitration-external-secret': setting({
    shape: secretText(),
    default: secret(''),
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Secret that managers and arbitrator sign their messages with: a long random text, the same for all managers of a fleet.',
  }),
  'arbitration-external-unique-id': setting({
    shape: integer({ max: 1_000_000_000 }),
    default: 0,
    scope: 'server',
    apply: 'restart',
    doc: 'Number by which findings and logs call this manager: another one for each.',
  }),
  'arbitration-peer-hosts': setting({
    shape: list(peer),
    default: [],
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'The other managers (host and http-port), whose heartbeat is read: while none answers, the sites are parted. Empty: that is never known.',
  }),
  'arbitration-failed-master-script': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'program',
    doc: 'Program that a manager runs, once for each, which lost the arbitration while the sites are parted, with host and port of its primary when the winner has another one: to take it off the network.',
  }),
  'arbitration-read-timeout': setting({
    shape: integer({ min: 50, max: 10_000, unit: 'ms' }),
    default: 800,
    scope: 'server',
    apply: 'restart',
    jsonWas: ['arbitrationReadTimout'],
    doc: 'Longest time of one request to the arbitrator or to a peer.',
  }),
}
