// Names of families: what a server's names become, and which cannot be names.
import { expect } from 'chai'
import fc from 'fast-check'
import { escapeLabel, instanceName, isNumeric } from '../../../lib/metrics/labels.js'
import { familyName } from '../../../lib/metrics/names.js'

describe('familyName', () => {
  it('is the prefix and the lower-case name', () => {
    expect(familyName('mysql_global_status_', 'Threads_running')).to.equal('mysql_global_status_threads_running')
  })

  it('is a valid name whatever the server calls its variables', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const family = familyName('p_', name)
        expect(family === undefined || /^p_[a-z0-9_]*$/.test(family)).to.equal(true)
      }),
    )
  })

  for (const name of ['expire_logs_days', 'histogram_size', 'sql_slave_skip_counter', 'wsrep_flow_control_paused_ns'])
    it(`refuses ${name}, which the check of Prometheus refuses`, () => {
      expect(familyName('mysql_global_variables_', name)).to.equal(undefined)
    })
})

describe('instanceName', () => {
  it('drops and replaces what scrapers have never seen', () => {
    expect(instanceName('`db?1.example(a)<b\'c"d/e f')).to.equal('db1-example-a--b-c-d_e_f')
  })
})

describe('escapeLabel', () => {
  it('escapes backslash, quote and line feed, in that order', () => {
    expect(escapeLabel('a\\"\n')).to.equal('a\\\\\\"\\n')
  })
})

describe('isNumeric', () => {
  for (const text of ['0', '-1', '18446744073709551615', '0.5', '1.', '.5', '1e10', '2.5E-3'])
    it(`takes ${text}`, () => expect(isNumeric(text)).to.equal(true))
  for (const text of ['', 'ON', '0x10', '1,5', '10.11.6', '1 ', 'NaN', 'Infinity', '1e'])
    it(`refuses "${text}"`, () => expect(isNumeric(text)).to.equal(false))
})
