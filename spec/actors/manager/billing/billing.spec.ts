// The running statement over restarts, damaged files, month ends and owners; nothing at all while the switch is off.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Billing } from '../../../../actors/manager/billing/billing.js'
import { fail, ok, type Result, unwrap } from '../../../../lib/base/result.js'
import type { MonthStatement, Usage } from '../../../../lib/price/index.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const MINUTE = 60_000
const START = Date.parse('2026-11-30T12:00:00Z')
const usage: Usage = {
  ...{ databases: { all: 2, running: 2 }, proxies: { all: 1, running: 1 } },
  ...{ localBytes: 0, archivedBytes: 0 },
}

const priced = {
  ...{ hosted: true, 'hosted-marketplace-dbu-price': '40', 'hosted-marketplace-apu-price': '10', 'prov-db-dbu': 2 },
  ...{ 'prov-service-plan-apu': 2, 'api-credentials-acl-allow': 'ann:db:shop:sponsor,ops:db:*:extdbops,admin:*' },
}

/** A manager's accounting on a directory of its own, with clocks that the spec sets. */
class Machine {
  readonly directory = newDirectory('billing')
  readonly log: string[] = []
  readonly terms = new Map<string, number | undefined>([
    ['crm', 0],
    ['shop', 0],
  ])
  names = ['crm', 'shop']
  settings = defaultSettings(priced)
  wall = START
  steady = 10 * MINUTE
  asked = 0
  used: Result<Usage> = ok(usage)
  billing = this.open()

  open(): Billing {
    return new Billing(
      {
        directory: this.directory,
        settings: () => this.settings,
        clusters: () => this.names,
        usage: async () => {
          this.asked += 1
          return this.used
        },
        term: (cluster) => this.terms.get(cluster),
        log: (_, code) => void this.log.push(code),
      },
      { clock: { wall: () => this.wall, steady: () => this.steady }, everyMs: 2 ** 30 },
    )
  }

  /** Time passes by both clocks; then a period is accounted. */
  async pass(ms: number, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      this.wall += ms
      this.steady += ms
      await this.billing.account()
    }
  }

  /** What a killed manager leaves is what its files have. */
  restart(): void {
    this.billing = this.open()
  }

  async read(month?: string): Promise<MonthStatement> {
    return unwrap(await this.billing.statement(month))
  }

  async seconds(cluster = 'shop', month?: string): Promise<number> {
    return (await this.read(month)).clusters[cluster]?.accountedSeconds ?? 0
  }

  file(month: string): string {
    return path.join(this.directory, 'billing', `billing-${month}.json`)
  }
}

describe('Billing', () => {
  let machine: Machine
  beforeEach(() => {
    machine = new Machine()
  })
  afterEach(() => machine.billing.close())

  it('does nothing while hosted is false: no question, no file', async () => {
    machine.settings = defaultSettings({})
    machine.billing.changed()
    await machine.pass(MINUTE, 3)
    await machine.billing.close()
    expect([machine.asked, readdirSync(machine.directory)]).to.deep.equal([0, []])
    expect(await machine.billing.statement()).to.deep.include({ ok: false })
  })

  it('accounts each cluster by plan and use, with who pays and who operates', async () => {
    await machine.pass(MINUTE, 61)
    const { clusters, monthCost, currency } = await machine.read()
    const { shop, crm } = clusters
    // Two databases of two units each, of which each needs one: 40 × (4 − 2 × 0.8); two proxies planned, one runs: 10 × (2 − 0.8).
    const hourly = (40 * 2.4 + 10 * 1.2) / 720
    expect(shop?.rate).to.equal(108)
    expect(shop?.monthCost).to.be.closeTo(hourly, 0.011)
    expect(shop).to.include({ partner: 'ops', accountedSeconds: 3600 })
    expect([shop?.sponsors, crm?.sponsors, currency]).to.deep.equal([['ann'], [], 'EUR'])
    expect(monthCost).to.equal((shop?.monthCost ?? 0) + (crm?.monthCost ?? 0))
  })

  it('writes a file that another program reads, once a minute', async () => {
    await machine.pass(10_000, 7)
    const written = JSON.parse(readFileSync(machine.file('2026-11'), 'utf8'))
    expect(written).to.include({ month: '2026-11', final: false, currency: 'EUR' })
    expect(written.clusters.shop.units[0]).to.include({ family: 'dbu', plan: 4, billable: 2 })
    expect(written.clusters.shop.accountedSeconds).to.equal(60)
  })

  it('continues after a kill, with the time since the last write, and after a clean stop', async () => {
    await machine.pass(10_000, 10)
    machine.restart()
    await machine.pass(MINUTE)
    expect(await machine.seconds()).to.equal(150)
    await machine.billing.close()
    machine.restart()
    await machine.pass(MINUTE)
    expect(await machine.seconds()).to.equal(210)
  })

  it('leaves out an absence of more than five minutes', async () => {
    await machine.pass(MINUTE, 3)
    await machine.billing.close()
    machine.restart()
    await machine.pass(6 * MINUTE)
    await machine.pass(MINUTE)
    expect(await machine.seconds()).to.equal(180)
  })

  it('loses and repeats nothing when the clock is set while it runs or is down', async () => {
    await machine.pass(MINUTE, 3)
    machine.wall -= 60 * MINUTE
    await machine.pass(MINUTE, 3)
    await machine.billing.close()
    machine.wall += 30 * MINUTE
    machine.restart()
    await machine.pass(MINUTE)
    expect(await machine.seconds()).to.equal(360)
  })

  it('closes the month once it is over, for good, and keeps the days of a dropped cluster', async () => {
    machine.wall = Date.parse('2026-11-30T23:30:00Z')
    machine.billing.changed()
    await machine.pass(MINUTE, 11)
    machine.names = ['shop']
    await machine.pass(MINUTE, 30)
    const closed = readFileSync(machine.file('2026-11'), 'utf8')
    const { clusters, final } = JSON.parse(closed)
    expect([final, clusters.crm.accountedSeconds, clusters.shop.accountedSeconds]).to.deep.equal([true, 600, 1740])
    expect(closed).to.not.include('continuing')
    expect(await machine.seconds('shop', '2026-12')).to.equal(660)
    expect(machine.log).to.deep.equal(['billing-closed'])
    machine.wall = Date.parse('2026-11-30T23:00:00Z')
    await machine.pass(MINUTE, 5)
    expect(readFileSync(machine.file('2026-11'), 'utf8')).to.equal(closed)
    expect(unwrap(await machine.billing.months())).to.deep.equal(['2026-11', '2026-12'])
  })

  it('closes at a later start the month in which it was stopped', async () => {
    await machine.pass(MINUTE, 3)
    await machine.billing.close()
    machine.wall += 40 * 24 * 60 * MINUTE
    machine.steady += 40 * 24 * 60 * MINUTE
    machine.restart()
    machine.billing.changed()
    await machine.pass(MINUTE, 7)
    expect((await machine.read('2026-11')).final).to.equal(true)
    expect(await machine.seconds('shop', '2026-11')).to.equal(120)
    expect((await machine.read()).month).to.equal('2027-01')
  })

  it('accounts no time of a cluster that another manager owned meanwhile', async () => {
    await machine.pass(MINUTE, 3)
    machine.terms.set('shop', undefined)
    await machine.pass(MINUTE)
    machine.terms.set('shop', 2)
    await machine.pass(MINUTE, 2)
    expect([await machine.seconds('shop'), await machine.seconds('crm')]).to.deep.equal([180, 300])
  })

  it('takes the time in which a cluster did not answer with its next answer', async () => {
    await machine.pass(MINUTE)
    machine.used = fail('actor-gone', 'gone')
    await machine.pass(MINUTE, 2)
    expect(await machine.seconds()).to.equal(0)
    machine.used = ok(usage)
    await machine.pass(MINUTE)
    expect(await machine.seconds()).to.equal(180)
  })

  it('continues from the statement of a minute before when the file is damaged, and keeps the damaged one', async () => {
    await machine.pass(MINUTE, 3)
    await machine.billing.close()
    const text = readFileSync(machine.file('2026-11'), 'utf8')
    writeFileSync(machine.file('2026-11'), text.slice(0, 200))
    machine.restart()
    expect(await machine.seconds()).to.equal(60)
    await machine.pass(MINUTE)
    expect(await machine.seconds()).to.equal(180)
    expect(machine.log).to.deep.equal(['billing-damaged'])
    expect(readFileSync(`${machine.file('2026-11')}.damaged`, 'utf8')).to.equal(text.slice(0, 200))
  })

  it('begins a new stretch after it was switched off', async () => {
    machine.billing.changed()
    await machine.pass(MINUTE, 3)
    machine.settings = defaultSettings({ ...priced, hosted: false })
    machine.billing.changed()
    await machine.pass(MINUTE)
    machine.settings = defaultSettings(priced)
    machine.billing.changed()
    await machine.pass(MINUTE, 2)
    expect(await machine.seconds()).to.equal(180)
  })

  it('answers the running month before anything was accounted, and refuses months without a statement', async () => {
    expect((await machine.read()).clusters).to.deep.equal({})
    const refused = await machine.billing.statement('2020-01')
    expect(refused.ok ? '' : refused.failure.code).to.equal('no-statement')
    expect(unwrap(await machine.billing.clusterStatement('shop')).cluster).to.include({ cluster: 'shop', monthCost: 0 })
    expect(existsSync(path.join(machine.directory, 'billing'))).to.equal(false)
  })

  it('accounts nothing while statements cannot be read, and reports it once', async () => {
    const folder = path.join(machine.directory, 'billing')
    writeFileSync(folder, 'in the way')
    await machine.pass(MINUTE, 3)
    expect(await machine.billing.statement()).to.deep.include({ ok: false })
    expect(machine.log).to.deep.equal(['billing-unreadable'])
    rmSync(folder)
    await machine.pass(MINUTE, 2)
    expect(await machine.seconds()).to.equal(60)
  })

  it('keeps in memory what cannot be written, reports it once, and writes it as soon as it can', async () => {
    const folder = path.join(machine.directory, 'billing')
    await machine.pass(MINUTE)
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'in the way')
    await machine.pass(MINUTE, 3)
    expect([await machine.seconds(), machine.log]).to.deep.equal([180, ['billing-unwritten']])
    rmSync(folder)
    await machine.pass(MINUTE)
    expect(JSON.parse(readFileSync(machine.file('2026-11'), 'utf8')).clusters.shop.accountedSeconds).to.equal(240)
  })
})
