import { expect } from 'chai'
import { readEnvironment, readFlags, variableOf } from '../../../../lib/settings/load/invocation.js'

describe('readFlags', () => {
  it('reads --name=value, --name value and a lone switch', () => {
    const { entries, faults } = readFlags([
      '--log-level=4',
      '--failover-mode',
      'automatic',
      '--haproxy',
      '--verbose=false',
    ])
    expect(faults).to.deep.equal([])
    expect(entries.map(({ name, value }) => [name, value])).to.deep.equal([
      ['log-level', '4'],
      ['failover-mode', 'automatic'],
      ['haproxy', true],
      ['verbose', 'false'],
    ])
  })

  it('keeps what stands after the first equals sign', () => {
    expect(readFlags(['--api-public-url=https://x?a=b']).entries[0]?.value).to.equal('https://x?a=b')
  })

  it('refuses a missing value and what is no flag', () => {
    expect(readFlags(['--log-level', '--haproxy', 'stray']).faults.map(({ name }) => name)).to.deep.equal([
      'log-level',
      'stray',
    ])
  })
})

describe('readEnvironment', () => {
  it('reads settings from MANAGER_ variables and knows its scripts’ own', () => {
    const { entries, warnings } = readEnvironment({
      MANAGER_FAILOVER_MODE: 'automatic',
      MANAGER_USER: 'admin',
      MANAGER_FAILOVR_MODE: 'x',
      OTHER: 'y',
    })
    expect(entries.map(({ name, origin }) => [name, origin.variable])).to.deep.equal([
      ['failover-mode', 'MANAGER_FAILOVER_MODE'],
    ])
    expect(warnings.map(({ problem }) => problem)).to.deep.equal(['unknown setting; did you mean failover-mode?'])
  })
})

describe('variableOf', () => {
  it('is the name in capitals with underscores', () => {
    expect(variableOf('db-servers-hosts')).to.equal('MANAGER_DB_SERVERS_HOSTS')
  })
})
