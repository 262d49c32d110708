// The verbosity of the log, by the settings.
import { expect } from 'chai'
import { createLog, hintOf, levelOfEvent, verbosityOf } from '../../../../actors/manager/outlet/log.js'

describe('verbosityOf', () => {
  const settings = { 'log-level': 2, 'log-file-level': 1, verbose: false }

  it('is what the levels say', () => expect(verbosityOf(settings)).to.deep.equal({ output: 2, file: 1 }))

  it('is everything on the output while verbose is on', () =>
    expect(verbosityOf({ ...settings, verbose: true })).to.deep.equal({ output: 4, file: 1 }))
})

describe('the latest lines of the log', () => {
  it("are the manager's own and those of clusters, newest first, without what is only for debugging", () => {
    const log = createLog({ output: 1, file: 1 })
    log.write('info', 'manager-started', { clusters: ['shop'] })
    log.write('debug', 'configuration-read')
    const event = { id: 1, at: 1_795_246_812_345, cluster: 'shop', kind: 'state', level: 'STATE' } as const
    log.event({ ...event, text: 'db1 is the primary' })
    log.event({ ...event, level: 'DEBUG', text: 'probed' })
    const [second, first, ...rest] = log.latest()
    expect(second).to.deep.equal({ group: 'shop', level: 'STATE', at: event.at, text: 'db1 is the primary' })
    expect(first).to.include({ group: '', level: 'INFO', text: 'manager-started clusters=["shop"]' })
    expect(rest).to.deep.equal([])
  })

  it('are two hundred at most', () => {
    const log = createLog({ output: 1, file: 1 })
    for (let number = 1; number <= 250; number += 1) log.write('info', 'alert-sent', { number })
    expect(log.latest().map(({ text }) => text))
      .to.have.length(200)
      .and.include('alert-sent number=51')
      .and.not.include('alert-sent number=50')
  })
})

describe('levelOfEvent', () => {
  const event = { id: 1, at: 0, cluster: 'shop', text: 'words' } as const
  const opened = (code: string, severity: string) =>
    ({ ...event, kind: 'finding-opened', level: 'STATE', data: { code, severity, detail: '' } }) as const

  it('is as grave as the finding that opens, with what can be done', () => {
    expect(levelOfEvent(opened('ERR00012', 'error'))).to.equal('error')
    expect(levelOfEvent(opened('WARN0048', 'warning'))).to.equal('warn')
    expect(hintOf(opened('ERR00012', 'error')).hint).to.include('replication/bootstrap')
  })

  it('is what the event says otherwise', () => {
    expect(levelOfEvent({ ...event, kind: 'operation', level: 'ALERT' })).to.equal('error')
    expect(levelOfEvent({ ...event, kind: 'finding-closed', level: 'STATE', data: { severity: 'error' } })).to.equal(
      'info',
    )
    expect(hintOf({ ...event, kind: 'operation', level: 'ALERT' })).to.deep.equal({})
  })
})
