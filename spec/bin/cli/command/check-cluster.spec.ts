// What a plugin of Nagios reads: one line with performance data, the findings below, and the grade.
import { expect } from 'chai'
import { grades, judgeCheck, renderPlugin } from '../../../../bin/cli/command/read/check-cluster.js'
import type { FleetRow } from '../../../../lib/model/fleet/row.js'

const row: FleetRow = {
  ...{ name: 'shop', state: 'healthy', primary: 'db1', topology: 'master-slave', mode: 'automatic', flags: [] },
  ...{ up: 3, of: 3, lag: 0, semi: 'on', loss: 0, errors: 0, warnings: 0, worst: null, op: null, at: 0, wps: 1 },
  tags: [],
}
const none = { errors: [], warnings: [] }
const alert = { number: 'ERR00191', desc: 'one | two\nthree', from: 'CLUSTER', hint: '', runbook: '' }

describe('judgeCheck', () => {
  for (const [state, errors, grade] of [
    ['healthy', 0, 'OK'],
    ['degraded', 0, 'WARNING'],
    ['degraded', 1, 'CRITICAL'],
    ['broken', 1, 'CRITICAL'],
    ['down', 0, 'CRITICAL'],
    ['unknown', 0, 'UNKNOWN'],
  ] as const)
    it(`is ${grade} for ${state} with ${errors} errors`, () => {
      expect(judgeCheck({ ...row, state, errors }, none).grade).to.equal(grade)
    })

  it('gives the grades the statuses of plugins', () => {
    expect(grades).to.deep.equal({ OK: 0, WARNING: 1, CRITICAL: 2, UNKNOWN: 3 })
  })
})

describe('renderPlugin', () => {
  it('is one line where there is no finding', () => {
    expect(renderPlugin(judgeCheck(row, none))).to.equal(
      'OK - shop is healthy: db1 is the primary, 3 of 3 servers answer | errors=0;;0 warnings=0 servers_up=3;;;0;3 lag=0s',
    )
  })

  it('has one bar, which begins the figures, whatever a finding says', () => {
    const text = renderPlugin(
      judgeCheck({ ...row, state: 'down', errors: 1, worst: 'ERR00191', lag: null }, { ...none, errors: [alert] }),
    )
    expect(text.split('|')).to.have.length(2)
    expect(text.split('\n').slice(1)).to.deep.equal(['ERR00191 one / two three'])
    expect(text).to.match(/^CRITICAL - shop is down: no primary takes writes/)
  })
})
