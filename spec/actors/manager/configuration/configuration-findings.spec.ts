import { expect } from 'chai'
import { configurationFindings } from '../../../../actors/manager/configuration/configuration-findings.js'
import { unwrap } from '../../../../lib/base/result.js'
import { changeSetting } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const codes = (findings: ReturnType<typeof configurationFindings>) =>
  findings.map(({ code, detail }) => `${code} ${detail}`)

describe('configurationFindings', () => {
  it('names changes that last until restart', async () => {
    const loaded = await ground('[Default]\n[alpha]\nfailover-limit = 3\n').configuration()
    const { configuration } = unwrap(changeSetting(loaded, { scope: 'alpha', name: 'failover-limit', value: 4 }))
    expect(codes(configurationFindings(configuration, [], 'alpha'))).to.deep.equal(['WARN0102 failover-limit.'])
  })
})
