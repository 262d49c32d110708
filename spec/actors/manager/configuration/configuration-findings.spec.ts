import { expect } from 'chai'
import {
  configurationFindings,
  serverFindings,
} from '../../../../actors/manager/configuration/configuration-findings.js'
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

describe('serverFindings', () => {
  const of = async (ranges: string) =>
    codes(
      serverFindings((await ground(`[Default]\napi-trusted-proxies = "${ranges}"\n`).configuration()).server.settings),
    )

  it('warn of trusted proxies that are all addresses, by one range or several', async () => {
    expect(await of('10.0.0.0/8, 0.0.0.0/0')).to.deep.equal(['WARN0253 All addresses of IPv4: 10.0.0.0/8, 0.0.0.0/0.'])
    expect(await of('0.0.0.0/1,128.0.0.0/1,::/0')).to.deep.equal([
      'WARN0253 All addresses of IPv4 and IPv6: 0.0.0.0/1, 128.0.0.0/1, ::/0.',
    ])
    expect(await of('10.0.0.0/8,fd00::/8')).to.deep.equal([])
  })
})
