// The book of a cluster follows its conditions, also where its actor answers late.
import { expect } from 'chai'
import { Books } from '../../../../actors/manager/alerts/books.js'
import { Silences } from '../../../../actors/manager/alerts/silences.js'
import type { ConditionsView } from '../../../../actors/protocol/cluster.js'
import { ok } from '../../../../lib/base/result.js'
import { now } from '../../../../lib/base/time.js'
import type { FindingCode } from '../../../../lib/model/findings.js'
import type { Report } from '../../../../lib/notify/index.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

describe('Books', () => {
  /** What the actor gives: as it is, or as it was known last. */
  class Actor {
    version = 1
    given = 1
    reads = 0
    others: readonly string[] | undefined
    #codes: readonly FindingCode[] = []
    #known: readonly FindingCode[] = []

    open(...codes: readonly FindingCode[]): void {
      this.#codes = codes
      this.version += 1
    }

    answer(): void {
      this.#known = this.#codes
      this.given = this.version
    }

    view(): Buffer {
      this.reads += 1
      const findings = this.#known.map((code) => ({ code, detail: '' }))
      const others = this.others ? { others: this.others } : {}
      const view: ConditionsView = { ready: true, ...others, servers: [], findings }
      return Buffer.from(JSON.stringify(view))
    }
  }

  /** The book of one cluster whose actor gives this. */
  function begin(actor: Actor) {
    const directory = newDirectory('books')
    const reports: Report[] = []
    const settings = defaultSettings({ 'monitoring-datadir': directory, 'mail-to': 'ops@example.com' })
    const log = () => undefined
    const books = new Books({
      ...{ directory, log, clusters: () => ['demo'], settings: () => settings, own: () => [] },
      view: async () => ok({ bytes: actor.view(), etag: `1-${actor.given}`, at: now() }),
      isCurrent: (_cluster, etag) => etag === `1-${actor.version}`,
      silences: new Silences(directory, log),
      dispatch: async (_cluster, sending) => void reports.push(...sending.reports),
    })
    books.start()
    const changed = () =>
      books.note({ id: 1, at: now(), cluster: 'demo', kind: 'finding-opened', level: 'ERROR', text: '' })
    return { books, reports, changed, codes: () => reports.flatMap(({ opened }) => opened.map(({ code }) => code)) }
  }

  it('send beside another manager that acts only what concerns this one, and the rest when it is gone', async () => {
    const actor = new Actor()
    actor.others = ['10.0.0.9']
    actor.open('ERR00021', 'ERR00022')
    actor.answer()
    const { books, codes, changed } = begin(actor)
    try {
      await eventually(() => codes().length > 0, 'something is reported')
      expect(codes()).to.deep.equal(['ERR00022'])
      expect(books.silenceOf('demo', { code: 'ERR00021' })).to.include({ by: 'other-manager' })
      expect(books.silenceOf('demo', { code: 'ERR00021' })?.reason).to.include('10.0.0.9')
      actor.others = undefined
      actor.open('ERR00021')
      actor.answer()
      changed()
      await eventually(() => codes().length > 1, 'the rest is reported')
      expect(codes()).to.deep.equal(['ERR00022', 'ERR00021'])
      expect(books.silenceOf('demo', { code: 'ERR00021' })).to.equal(undefined)
    } finally {
      books.close()
    }
  })

  it('read again what was given as it was known last, though no other event follows', async () => {
    const actor = new Actor()
    const { books, reports, changed } = begin(actor)
    try {
      await eventually(() => actor.reads > 0, 'the conditions are read')
      actor.open('ERR00021')
      const before = actor.reads
      changed()
      await eventually(() => actor.reads > before, 'they are read after the event')
      expect(reports).to.deep.equal([])
      actor.answer()
      await eventually(() => reports.length > 0, 'the finding is reported')
      expect(reports.flatMap(({ opened }) => opened.map(({ code }) => code))).to.deep.equal(['ERR00021'])
    } finally {
      books.close()
    }
  })
})
