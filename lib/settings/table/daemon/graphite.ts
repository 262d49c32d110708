// Metrics sent to carbon, or kept by an embedded store.
import { setting } from '../../kit/row.js'
import { boolean, oneOf, port, text } from '../../kit/shape.js'

export const graphiteSettings = {
  'graphite-metrics': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'live',
    doc: 'Sends the metrics of the database servers to carbon, every ten seconds.',
  }),
  'graphite-carbon-host': setting({
    shape: text(),
    default: '127.0.0.1',
    scope: 'server',
    apply: 'live',
    doc: 'Carbon host.',
  }),
  'graphite-carbon-port': setting({
    shape: port(),
    default: 2003,
    scope: 'server',
    apply: 'live',
    doc: 'Carbon port.',
  }),
  'graphite-whitelist': setting({
    shape: boolean(),
    default: true,
    scope: 'server',
    apply: 'live',
    doc: 'Sends only metrics that the list allows.',
  }),
  'graphite-blacklist': setting({
    shape: boolean(),
    default: false,
    scope: 'server',
    apply: 'live',
    doc: 'Sends no metric that the list forbids.',
  }),
  'graphite-whitelist-template': setting({
    shape: oneOf(['none', 'minimal', 'grafana', 'all']),
    default: 'minimal',
    scope: 'server',
    apply: 'live',
    doc: 'What the lists of a cluster hold before they are written.',
  }),
}
