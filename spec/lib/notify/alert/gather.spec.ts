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

const down: ReportedCondition = {
  ...{ key: 'WARN0100@db1', code: 'WARN0100', severity: 'warning', server: 'db1', since: 0, times: 1 },
  ...{ sentence: 'The disk of a server is full.', text: 'The disk of a server is full. /data', hint: 'Free space.' },
}
const warning = (cluster: string) => report(cluster, { ended: [], opened: [down] })
const resolved = (cluster: string) => report(cluster, { ended: [], closed: [down] })
const error = (cluster: string) => report(cluster, { ended: [], opened: [{ ...down, severity: 'error' }] })

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

  for (const [what, urgent] of [
    ['a failover', report('shop')],
    ['a new error', error('shop')],
  ] as const)
    it(`sends ${what} after three small messages as soon as without them, in a message of its own`, () => {
      const small = [warning('a'), resolved('a'), warning('b'), warning('c')]
      const sent = run(
        [
          ...small.map((each, index) => ({ at: index * 2 * SECOND, report: each })),
          { at: 10 * SECOND, report: warning('d') },
          { at: 10 * SECOND, report: urgent },
        ],
        MINUTE,
      )
      const alone = run([{ at: 10 * SECOND, report: urgent }], MINUTE)
      const ours = sent.find(({ reports }) => reports.includes(urgent))
      expect(ours?.at).to.equal(alone[0]?.at)
      expect(ours?.reports).to.deep.equal([urgent])
      expect(sent.flatMap(({ reports }) => reports).filter(({ cluster }) => cluster === 'd')).to.deep.equal([])
    })

  it('has what is small wait for every message, and sends it', () => {
    const all = [report('a'), error('b'), report('c'), warning('d')]
    const sent = run(
      all.map((each, index) => ({ at: index * 2 * SECOND, report: each })),
      5 * MINUTE,
    )
    expect(sent.map(({ reports }) => reports.map(({ cluster }) => cluster))).to.deep.equal([['a'], ['b'], ['c'], ['d']])
    const [, , third, last] = sent.map(({ at }) => at)
    expect((last ?? 0) - (third ?? 0)).to.equal(limits.intervalMs)
  })

  it('sends all that waits with the first message of urgent ones above the limit', () => {
    const sent = run(
      [
        ...['a', 'b', 'c'].map((cluster, index) => ({ at: index * 2 * SECOND, report: report(cluster) })),
        { at: 10 * SECOND, report: warning('d') },
        { at: 12 * SECOND, report: report('e') },
      ],
      5 * MINUTE,
    )
    expect(sent.map(({ reports }) => reports.map(({ cluster }) => cluster))).to.deep.equal([
      ...[['a'], ['b'], ['c']],
      ['d', 'e'],
    ])
  })
})

describe('renderMessage', () => {
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
