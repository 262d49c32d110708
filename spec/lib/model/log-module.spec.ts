import { expect } from 'chai'
import { isModuleLogged } from '../../../lib/model/log-module.js'
import { defaultSettings } from '../../../lib/settings/index.js'

describe('isModuleLogged', () => {
  const settings = defaultSettings({ 'log-topology-level': 2 })

  it('bounds each module by its own verbosity', () => {
    expect(isModuleLogged(settings, 'topology', 'WARN')).to.equal(true)
    expect(isModuleLogged(settings, 'topology', 'INFO')).to.equal(false)
    expect(isModuleLogged({ ...settings, 'log-topology-level': 3 }, 'topology', 'INFO')).to.equal(true)
  })

  it('writes nothing of a module that is switched off', () => {
    expect(isModuleLogged({ ...settings, 'log-topology': false }, 'topology', 'ERROR')).to.equal(false)
  })
})
