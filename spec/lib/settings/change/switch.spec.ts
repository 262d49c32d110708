import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { switchSetting } from '../../../../lib/settings/index.js'
import { ground } from '../../../support/configuration/configuration.js'

const text = '[Default]\nfailover-limit = 3\n[alpha]\ndb-servers-hosts = "db1,db2"\n[beta]\ndb-servers-hosts = "db3"\n'
const alpha = (name: string, value: unknown = '') => ({ scope: 'alpha', name, value })
const failure = (code: string, message: RegExp) => (result: unknown) => {
  expect(result).to.have.nested.property('failure.code', code)
  expect(result).to.have.nested.property('failure.message').that.matches(message)
}

describe('switchSetting', () => {
  for (const [name, setting, values] of [
    ['autorejoin', 'autorejoin', [false, true]],
    ['failover-mode', 'failover-mode', ['automatic', 'manual']],
    ['interactive', 'failover-mode', ['automatic', 'manual']],
    ['force-slave-gtid', 'force-slave-gtid-mode', [true, false]],
    ['force-slave-optimistic', 'force-slave-parallel-mode', ['optimistic', '']],
  ] as const)
    it(`flips ${name} there and back`, async () => {
      const before = await ground(text).configuration()
      const once = unwrap(switchSetting(before, { scope: 'alpha', name }))
      const twice = unwrap(switchSetting(once.configuration, { scope: 'alpha', name }))
      expect([once.view.name, once.view.value, twice.view.value]).to.deep.equal([setting, ...values])
    })

  it('refuses what is not a switch', async () => {
    failure('wrong-value', /is not a switch/)(switchSetting(await ground(text).configuration(), alpha('log-level')))
  })
})

describe('switchSetting to a state', () => {
  for (const [name, on, off] of [
    ['autorejoin', true, false],
    ['failover-mode', 'automatic', 'manual'],
    ['force-slave-optimistic', 'optimistic', ''],
  ] as const)
    it(`leaves ${name} there, however often it is asked`, async () => {
      let configuration = await ground(text).configuration()
      for (const [state, value] of [
        [true, on],
        [true, on],
        [false, off],
        [false, off],
      ] as const) {
        const changed = unwrap(switchSetting(configuration, { scope: 'alpha', name, on: state }))
        expect(changed.view.value).to.equal(value)
        configuration = changed.configuration
      }
    })
})
