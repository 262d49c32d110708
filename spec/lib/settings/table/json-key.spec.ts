import { expect } from 'chai'
import { settingJsonKey, settingJsonKeys } from '../../../../lib/settings/table/json-key.js'

describe('settingJsonKey', () => {
  for (const [name, key] of [
    ['failover-mode', 'failoverMode'],
    ['verbose', 'verbose'],
    ['monitoring-ssl-cert', 'monitoringSSLCert'],
    ['failover-falsepositive-ping-counter', 'failoverFalsePositivePingCounter'],
    ['prov-db-apply-dynamic-config', 'provDBApplyDynamicConfig'],
  ] as const)
    it(`of ${name} is ${key}`, () => {
      expect(settingJsonKey(name)).to.equal(key)
    })
})

describe('settingJsonKeys', () => {
  it('adds the misspelt keys that clients read', () => {
    expect(settingJsonKeys('http-bind-address')).to.deep.equal(['httpBindAddress', 'httpBindAdress'])
  })
})
