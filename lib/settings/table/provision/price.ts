// What clusters are sold, and at which prices; accounted while `hosted` is on.
import { pricePattern } from '../../../price/index.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, text } from '../../kit/shape.js'

const price = (what: string) =>
  setting({
    shape: text({ pattern: pricePattern, allowed: 'an amount with at most four digits behind the point' }),
    default: '0',
    scope: 'server',
    apply: 'live',
    doc: `Price of a unit during a month, in hosted-cost-currency: ${what}. 0: not priced, units are shown.`,
  })

const percent = (most: number) => integer({ max: most, unit: 'percent' })

const plan = (what: string) =>
  setting({
    shape: integer({ max: 100_000, unit: 'units' }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    grant: 'prov-settings',
    doc: `${what} 0: no plan, what is used is billed at the price.`,
  })

export const priceSettings = {
  'hosted-cost-currency': setting({
    shape: text({ pattern: /^[A-Z]{3}$/, allowed: 'a currency of three letters (ISO 4217)' }),
    default: 'EUR',
    scope: 'server',
    apply: 'live',
    doc: 'Currency of prices and statements. A month keeps the one in which it began.',
  }),
  'hosted-marketplace-dbu-price': price('DBU, of databases'),
  'hosted-marketplace-apu-price': price('APU, of proxies'),
  'hosted-marketplace-bku-price': price('BKU, of local backups'),
  'hosted-marketplace-bau-price': price('BAU, of archives'),
  'hosted-marketplace-overcommit-price-pct': setting({
    shape: percent(10_000),
    default: 150,
    scope: 'server',
    apply: 'live',
    doc: 'Surcharge on a unit above the plan: at 150 it costs 2.5 times the price.',
  }),
  'hosted-marketplace-undercommit-price-pct': setting({
    shape: percent(100),
    default: 80,
    scope: 'server',
    apply: 'live',
    doc: 'Reduction of a unit of the plan that is not used: at 80 it costs 0.2 times the price.',
  }),
  'hosted-marketplace-bau-client-storage': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    grant: 'sales-validate',
    doc: 'Archives of the cluster are on storage of its owner: their units are shown and not priced.',
  }),
  'prov-db-dbu': plan('Plan: database units (DBU) of each database server.'),
  'prov-service-plan-apu': plan('Plan: application units (APU) of the cluster, for its proxies.'),
  'prov-service-plan-bku': plan('Plan: backup units (BKU) of the cluster, for its local backups.'),
}
