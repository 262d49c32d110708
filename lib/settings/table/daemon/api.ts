// Listeners of the API and the web: addresses, ports, certificates, caching.
import { list, ranges } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, port, text } from '../../kit/shape.js'

const ORIGIN = /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$|^https?:\/\/\[[0-9a-f:.]+\](:\d{1,5})?$/

const origins = (allowed: string) => list({ pattern: ORIGIN, allowed })

export const apiSettings = {
  'api-server': setting({
    shape: boolean(),
    default: true,
    scope: 'server',
    apply: 'restart',
    doc: 'Starts the API listener.',
  }),
  'api-port': setting({
    shape: port({ free: true, quoted: true }),
    default: 10005,
    scope: 'server',
    apply: 'restart',
    doc: 'Port of the API listener; 0 takes any free one.',
  }),
  'api-bind': setting({
    shape: text(),
    default: '0.0.0.0',
    scope: 'server',
    apply: 'restart',
    doc: 'Address the API listener binds to.',
  }),
  'api-public-url': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Address of the API as users and scripts reach it: links in mails, alerts and runbooks begin with it; empty: https, api-bind (the name of this machine where that is every address) and api-port.',
  }),
  'api-https-bind': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'restart',
    doc: 'Removes the protected endpoints from the HTTP listener; they stay on the API port.',
  }),
  'http-server': setting({
    shape: boolean(),
    default: true,
    scope: 'server',
    apply: 'restart',
    doc: 'Starts the HTTP listener for reverse proxies.',
  }),
  'http-port': setting({
    shape: port({ free: true, quoted: true }),
    default: 10001,
    scope: 'server',
    apply: 'restart',
    doc: 'Port of the HTTP listener; 0 takes any free one.',
  }),
  'http-bind-address': setting({
    shape: text(),
    default: 'localhost',
    scope: 'server',
    apply: 'restart',
    jsonWas: ['httpBindAdress'],
    doc: 'Address the HTTP listener binds to.',
  }),
  'http-root': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    machine: 'key',
    doc: 'Folder of a web page that is served in place of the dashboard; empty: the dashboard.',
  }),
  'http-root-origins': setting({
    shape: origins('origins such as https://cdn.example.com, in lower case'),
    default: [],
    scope: 'server',
    apply: 'live',
    doc: 'Origins from which the page of http-root may load scripts, styles and fonts; they act with the rights of everyone who logs in there. Empty: only from the manager.',
  }),
  'cache-static-max-age': setting({
    shape: integer({ max: 31_536_000, unit: 'seconds' }),
    default: 18_000,
    scope: 'server',
    apply: 'live',
    doc: 'How long browsers keep files of the page whose name has no digest of their content; those with one are kept for a year.',
  }),
  'http-refresh-interval': setting({
    shape: integer({ min: 500, max: 3_600_000, unit: 'milliseconds' }),
    default: 4_000,
    scope: 'server',
    apply: 'live',
    doc: 'How often the dashboard asks for what is not streamed to it.',
  }),
  'api-allowed-origins': setting({
    shape: origins('origins such as https://dashboard.example.com, in lower case'),
    default: [],
    scope: 'server',
    apply: 'live',
    doc: 'Origins whose pages may read answers of the API in a browser; empty: none. Archives and tokens without a login are never readable.',
  }),
  'api-trusted-proxies': setting({
    shape: ranges(),
    default: [],
    scope: 'server',
    apply: 'live',
    doc: 'Reverse proxies whose X-Forwarded-For names the client: for the limits of logins, the log and api-config-download-addresses; empty: none.',
  }),
  'monitoring-ssl-cert': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    json: 'monitoringSSLCert',
    doc: 'Certificate file (PEM) of the API listener; empty: a self-signed one is created at start.',
  }),
  'monitoring-ssl-key': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    json: 'monitoringSSLKey',
    doc: 'Private key file (PEM) of that certificate.',
  }),
}
