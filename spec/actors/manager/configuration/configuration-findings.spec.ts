import { expect } from 'chai'
import { configurationFindings } from '../../../../actors/manager/configuration/configuration-findings.js'
import { unwrap } from '../../../../lib/base/result.js'
import { changeSetting } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const codes = (findings: ReturnType<typeof configurationFindings>) =>
  findings.map(({ code, detail }) => `${code} ${detail}`)

describe('configurationFindings', () => {
  it('names settings that are set and do nothing in this version, in the file or at run time', async () => {
    const text =
      '[Default]\n[alpha]\nswitchover-lock-user-on-freeze = true\nswitchover-decrease-max-conn = true\n[beta]\n'
    const loaded = await ground(text).configuration()
    expect(codes(configurationFindings(loaded, [], 'alpha'))).to.deep.equal([
      'WARN0160 switchover-lock-user-on-freeze.',
    ])
    expect(configurationFindings(loaded, [], 'beta')).to.deep.equal([])
    const changed = unwrap(changeSetting(loaded, { scope: 'beta', name: 'switchover-wait-route-change', value: 7 }))
    expect(codes(configurationFindings(changed.configuration, [], 'beta'))).to.deep.equal([
      'WARN0160 switchover-wait-route-change.',
    ])
  })

  it('names changes that last until restart', async () => {
    const loaded = await ground('[Default]\n[alpha]\nfailover-limit = 3\n').configuration()
    const { configuration } = unwrap(changeSetting(loaded, { scope: 'alpha', name: 'failover-limit', value: 4 }))
    expect(codes(configurationFindings(configuration, [], 'alpha'))).to.deep.equal(['WARN0102 failover-limit.'])
  })
})
