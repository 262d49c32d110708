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

  it('bounds lines about streams and purges of binary logs by settings of their own', () => {
    const quiet = { ...settings, 'log-backup-stream': false, 'log-binlog-purge-level': 1 }
    for (const [module, level, isLogged] of [
      ['backup-stream', 'DEBUG', true],
      ['binlog-purge', 'INFO', true],
      ['binlog-purge', 'DEBUG', false],
    ] as const)
      expect(isModuleLogged(settings, module, level), `${module} ${level}`).to.equal(isLogged)
    expect(isModuleLogged(quiet, 'backup-stream', 'ERROR')).to.equal(false)
    expect(isModuleLogged({ ...settings, 'log-backup-stream-level': 2 }, 'backup-stream', 'INFO')).to.equal(false)
    expect(isModuleLogged(quiet, 'binlog-purge', 'WARN')).to.equal(false)
    expect(isModuleLogged(quiet, 'binlog-purge', 'ERROR')).to.equal(true)
  })

  it('writes nothing of a module that is switched off', () => {
    expect(isModuleLogged({ ...settings, 'log-topology': false }, 'topology', 'ERROR')).to.equal(false)
  })
})
