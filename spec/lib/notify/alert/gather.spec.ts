// How many messages one receiver gets, whatever happens.
import { expect } from 'chai'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import { addReport, emptyReceiver, type Receiver, takeMessages } from '../../../../lib/notify/alert/gather.js'
import { renderMessage } from '../../../../lib/notify/alert/render.js'
import type { Report, ReportedCondition } from '../../../../lib/notify/alert/report.js'

const limits = { limit: 3, intervalMs: 120 * SECOND }

const report = (cluster: string, more: Partial<Report> = {}): Report => ({
  ...{ cluster, at: 0, kind: 'alert', opened: [], closed: [], story: [], losses: [], codes: ['Failed'] },
  ended: [{ kind: 'failover', succeeded: true, text: 'Failover succeeded', oldPrimary: 'db1', newPrimary: 'db2' }],
  ...more,
})

/** What is sent when reports come at these moments. */
function run(reports: readonly { readonly at: number; readonly report: Report }[], until: number) {
  let receiver: Receiver = emptyReceiver
  const sent: { readonly at: number; readonly reports: readonly Report[] }[] = []
  for (let at = 0; at <= until; at += SECOND / 2) {
    for (const each of reports.filter((one) => one.at === at)) receiver = addReport(receiver, each.report, at)
    const taken = takeMessages(receiver, limits, at)
    receiver = taken.receiver
    sent.push(...taken.messages.map((messages) => ({ at, reports: messages })))
  }
  return sent
}

const facts = { id: 'id', now: 0, baseUrl: 'https://m.example.com/', manager: 'monitor1' }

describe('takeMessages', () => {
  it('sends the reports of a few clusters one by one', () => {
    const sent = run(
      [
        { at: 0, report: report('a') },
        { at: 0, report: report('b') },
      ],
      MINUTE,
    )
    expect(sent.map(({ reports }) => reports.map(({ cluster }) => cluster))).to.deep.equal([['a'], ['b']])
  })

  it('sends 50 clusters that fail at once in one message', () => {
    const all = Array.from({ length: 50 }, (_, index) => ({ at: 0, report: report(`c${index}`) }))
    const sent = run(all, MINUTE)
    expect(sent.map(({ reports }) => reports.length)).to.deep.equal([50])
    const { title, text } = renderMessage(sent[0]?.reports ?? [], facts)
    expect(title).to.equal('[ALERT] 50 clusters: 50 failovers')
    expect(text).to.include('c0: failover succeeded, db2 is the primary (was db1)').and.include('and 10 more')
  })

  it('sends 50 clusters that fail one after another within five minutes in six messages, none of them lost', () => {
    const all = Array.from({ length: 50 }, (_, index) => ({ at: index * 6 * SECOND, report: report(`c${index}`) }))
    const sent = run(all, 10 * MINUTE)
    expect(sent.length).to.be.at.most(6)
    expect(sent.flatMap(({ reports }) => reports.map(({ cluster }) => cluster))).to.have.length(50)
  })
})

describe('renderMessage', () => {
  const down: ReportedCondition = {
    ...{ key: 'WARN0100@db1', code: 'WARN0100', severity: 'warning', server: 'db1', since: 0, times: 1 },
    ...{ sentence: 'The disk of a server is full.', text: 'The disk of a server is full. /data', hint: 'Free space.' },
  }

  it('says what happened, what was lost, what is open and what to do, in this order', () => {
    const story = [{ at: 0, text: 'Server db1 is Failed (was Master)' }]
    const lost = report('shop', { opened: [down], story, losses: ['No acknowledged transaction is lost.'] })
    const { title, text, level } = renderMessage([lost], facts)
    expect([level, title]).to.deep.equal(['ALERT', '[ALERT] shop: failover succeeded, db2 is the primary (was db1)'])
    const sections = text.split('\n').filter((line) => /^[A-Z]/.test(line))
    expect(sections.slice(0, 4)).to.deep.equal(['What happened', 'What was lost', 'Open now', 'What to do'])
    expect(text).to.include('  WARN0100: Free space.\n').and.include('https://m.example.com/api/runbooks/WARN0100\n')
    expect(text).to.include('manager-cli --cluster shop explain')
  })

  it('names the condition in the title, and its end', () => {
    const opened = renderMessage([report('shop', { ended: [], opened: [down] })], facts)
    expect(opened.title).to.equal('[ALERT] shop: WARN0100 db1: The disk of a server is full.')
    const closed = renderMessage([report('shop', { ended: [], closed: [down] })], facts)
    expect([closed.level, closed.title]).to.deep.equal(['ALERTOK', '[ALERTOK] shop: resolved: WARN0100 db1'])
  })

  it('leaves out of a digest what opened and closed before it was sent', () => {
    const first = report('a', { ended: [], opened: [down] })
    const then = report('a', { ended: [], closed: [down] })
    expect(renderMessage([first, then, report('b')], facts).title).to.equal('[ALERT] 2 clusters: 1 failover')
  })

  it('marks an escalation', () => {
    const { kind, title } = renderMessage([report('shop', { kind: 'escalation', ended: [], opened: [down] })], facts)
    expect([kind, title]).to.deep.equal([
      'escalation',
      '[ALERT, not acknowledged] shop: WARN0100 db1: The disk of a server is full.',
    ])
  })
})
