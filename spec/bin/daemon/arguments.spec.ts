import { expect } from 'chai'
import { readArguments, usage, usualFiles } from '../../../bin/daemon/arguments.js'

describe('readArguments', () => {
  it('monitors where no command is named', () => {
    expect(readArguments([])).to.deep.equal({ command: 'monitor', flags: [], rest: [] })
    expect(readArguments(['--api-port=1']).command).to.equal('monitor')
  })

  for (const words of [
    ['--config', 'a.toml', '--api-port', '1'],
    ['--config=a.toml', '--api-port', '1'],
    ['monitor', '--api-port', '1', '--config', 'a.toml'],
  ])
    it(`takes the file out of "${words.join(' ')}" and leaves the settings`, () => {
      const { command, file, flags } = readArguments(words)
      expect({ command, file, flags }).to.deep.equal({ command: 'monitor', file: 'a.toml', flags: ['--api-port', '1'] })
    })

  it('leaves a --config without its file to be reported as unknown', () => {
    expect(readArguments(['--config'])).to.deep.equal({ command: 'monitor', flags: ['--config'], rest: ['--config'] })
  })

  it('gives a command its words', () => {
    expect(readArguments(['keygen', '/etc/key'])).to.deep.include({ command: 'keygen', rest: ['/etc/key'] })
    expect(readArguments(['encrypt'])).to.deep.include({ command: 'encrypt', rest: [] })
    expect(readArguments(['configurator', 'check'])).to.deep.include({ command: 'configurator', rest: ['check'] })
  })

  it('lists what has no effect wherever the flag stands', () => {
    for (const words of [
      ['--explain-config', '--config', 'a.toml'],
      ['monitor', '--config=a.toml', '--explain-config'],
    ])
      expect(readArguments(words)).to.deep.equal({
        command: 'explain-config',
        file: 'a.toml',
        flags: [],
        rest: words.filter((word) => word.startsWith('--config') || word === 'a.toml'),
      })
    expect(readArguments(['check', '--output', 'json']).flags).to.deep.equal(['--output', 'json'])
  })

  it('answers help and version wherever they stand', () => {
    for (const word of ['--help', '-h']) expect(readArguments(['monitor', word]).command).to.equal('help')
    expect(readArguments(['--api-port', '1', '--version']).command).to.equal('version')
  })
})

describe('usage', () => {
  it('names the commands and every file that is searched', () => {
    for (const word of ['monitor', 'keygen', 'encrypt', 'configurator check', 'version', ...usualFiles()])
      expect(usage()).to.contain(word)
  })

  it('names the key file of the settings', () => {
    expect(usage()).to.contain('/etc/manager/.manager.key')
  })
})
