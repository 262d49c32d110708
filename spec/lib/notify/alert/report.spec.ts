// When a cluster reports what: a table of moments, without clock or channel.
import { expect } from 'chai'
import { MINUTE, SECOND } from '../../../../lib/base/time.js'
import type { AlertCondition } from '../../../../lib/model/alert.js'
import {
  acknowledge,
  type Book,
  emptyBook,
  noteBegin,
  noteConditions,
  noteEnd,
} from '../../../../lib/notify/alert/book.js'
import { type Circumstances, judgeBook, type Report } from '../../../../lib/notify/alert/report.js'

const condition = (code: string, server?: string): AlertCondition => ({
  key: server === undefined ? code : `${code}@${server}`,
  ...{ code, severity: 'error', sentence: `${code}.`, text: `${code}.`, hint: 'Fix it.' },
  ...(server === undefined ? {} : { server }),
})

const failed = condition('Failed', 'db1')
const loud: Omit<Circumstances, 'now'> = { isSilenced: () => false, escalationMs: 0 }

/** A book that is judged as time passes. */
class Diary {
  book: Book = emptyBook('shop', 0)
  readonly reports: Report[] = []
  readonly escalations: Report[] = []
  #circumstances = loud

  rule(circumstances: Partial<Omit<Circumstances, 'now'>>): this {
    this.#circumstances = { ...this.#circumstances, ...circumstances }
    return this
  }

  open(at: number, ...conditions: readonly AlertCondition[]): this {
    this.book = noteConditions(this.book, conditions, at)
    return this.judge(at)
  }

  judge(now: number): this {
    const { book, report, escalation } = judgeBook(this.book, { ...this.#circumstances, now })
    this.book = book
    if (report) this.reports.push(report)
    if (escalation) this.escalations.push(escalation)
    return this
  }

  /** Judged twice a second. */
  pass(from: number, to: number): this {
    for (let at = from; at <= to; at += SECOND / 2) this.judge(at)
    return this
  }

  keys(): readonly (readonly string[])[] {
    return this.reports.map(({ opened, closed }) => [
      ...opened.map(({ key }) => `+${key}`),
      ...closed.map(({ key }) => `-${key}`),
    ])
  }
}

const START = MINUTE

describe('judgeBook', () => {
  it('reports what is open once, and its end once', () => {
    const diary = new Diary().open(START, failed).pass(START, START + MINUTE)
    diary.open(START + 2 * MINUTE).pass(START + 2 * MINUTE, START + 3 * MINUTE)
    expect(diary.keys()).to.deep.equal([['+Failed@db1'], ['-Failed@db1']])
  })

  it('does not report what opens and closes again within seconds', () => {
    const diary = new Diary().open(START, failed).open(START + 2 * SECOND)
    expect(diary.pass(START, START + MINUTE).keys()).to.deep.equal([])
  })

  it('waits for the end of a failover, and reports it with what is open then', () => {
    const diary = new Diary().open(START, failed, condition('ERR00012'))
    diary.book = noteBegin(diary.book, { id: 'f1', kind: 'failover' }, START + SECOND)
    diary.pass(START, START + 20 * SECOND)
    expect(diary.keys()).to.deep.equal([])
    const reported = { kind: 'failover', succeeded: true, text: 'Failover succeeded', newPrimary: 'db2' }
    diary.book = noteEnd(diary.book, { id: 'f1', reported }, START + 20 * SECOND)
    diary.open(START + 20 * SECOND, failed).pass(START + 20 * SECOND, START + MINUTE)
    expect(diary.keys()).to.deep.equal([['+Failed@db1']])
    expect(diary.reports[0]?.ended).to.deep.equal([reported])
    expect(diary.reports[0]?.codes).to.include('ERR00012')
  })

  it('reports a failover that does not end', () => {
    const diary = new Diary().open(START, failed)
    diary.book = noteBegin(diary.book, { id: 'f1', kind: 'failover' }, START)
    diary.pass(START, START + MINUTE)
    expect(diary.reports.map(({ running }) => running)).to.deep.equal(['failover'])
  })

  it('reports what comes and goes twice within five minutes, then once when it stays', () => {
    const diary = new Diary()
    for (let round = 0; round < 8; round += 1) {
      const at = START + round * 30 * SECOND
      diary.open(at, failed).pass(at, at + 10 * SECOND)
      diary.open(at + 15 * SECOND).pass(at + 15 * SECOND, at + 25 * SECOND)
    }
    expect(diary.keys().flat()).to.deep.equal(['+Failed@db1', '-Failed@db1', '+Failed@db1', '-Failed@db1'])
    diary.open(START + 5 * MINUTE, failed).pass(START + 5 * MINUTE, START + 11 * MINUTE)
    expect(diary.keys().flat().slice(4)).to.deep.equal(['+Failed@db1'])
    expect(diary.reports.at(-1)?.opened[0]?.times).to.be.greaterThan(5)
  })

  it('sends at the end of a silence what is still open, and never what ended in it', () => {
    const diary = new Diary().rule({ isSilenced: () => true })
    diary.open(START, failed, condition('ERR00012')).pass(START, START + MINUTE)
    diary.open(START + MINUTE, failed).pass(START + MINUTE, START + 2 * MINUTE)
    expect(diary.keys()).to.deep.equal([])
    diary.rule({ isSilenced: () => false }).judge(START + 2 * MINUTE)
    expect(diary.keys()).to.deep.equal([['+Failed@db1']])
  })

  it('repeats nothing after a restart, and reports then what closed meanwhile, not before the actor is known to be complete', () => {
    const before = new Diary().open(START, failed, condition('ERR00012')).pass(START, START + MINUTE)
    const { notified, acknowledged } = before.book
    const diary = new Diary()
    diary.book = { ...emptyBook('shop', START + MINUTE), notified, acknowledged }
    diary.open(START + MINUTE + SECOND, failed).pass(START + MINUTE, START + MINUTE + 20 * SECOND)
    expect(diary.keys()).to.deep.equal([])
    diary.pass(START + MINUTE + 20 * SECOND, START + 2 * MINUTE)
    expect(diary.keys()).to.deep.equal([['-ERR00012']])
  })

  it('escalates once what nobody acknowledged', () => {
    const diary = new Diary().rule({ escalationMs: 10 * MINUTE })
    diary.open(START, failed, condition('ERR00012')).pass(START, START + MINUTE)
    diary.book = acknowledge(diary.book, ['ERR00012'], { owner: 'ann', reason: 'on it', at: START + MINUTE })
    diary.pass(START + MINUTE, START + 30 * MINUTE)
    expect(diary.escalations.map(({ opened }) => opened.map(({ key }) => key))).to.deep.equal([['Failed@db1']])
    expect(diary.reports).to.have.length(1)
  })
})
