// Metrics of clusters at a real carbon endpoint, through the filter lists of each cluster's folder.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Graphite } from '../../../../actors/manager/outlet/graphite.js'
import { unwrap } from '../../../../lib/base/result.js'
import { SECOND } from '../../../../lib/base/time.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { CarbonSink } from '../../../support/machine/carbon-sink.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

describe('Graphite', () => {
  const directory = newDirectory('graphite')
  const sink = new CarbonSink()
  let graphite: Graphite
  let settings = defaultSettings({})
  const file = (name: string) => path.join(directory, 'demo', name)

  const families = ['threads_running', 'uptime', 'binlog_commits'].map((name) => `mysql_global_status_${name}`)
  const figures = [{ instance: 'db1', families, values: [7, '7', 7] }]
  /** The time of samples, which the spec moves on: lines of a second come from rounds that began within it. */
  let second = 1_795_246_812
  /** How often the settings were asked for: once in each round of sending, at least. */
  let rounds = 0
  const linesOf = (time: number) => sink.lines.filter((line) => line.endsWith(` ${time}`))
  /** Names of the metrics of the present second; complete, since lines of the next one have come. */
  const arriving = async (): Promise<readonly string[]> => {
    const present = second
    second += 1
    await sink.has(` ${second}`)
    const names = linesOf(present).map((line) => line.replace(/^mysql\.db1\.mysql_global_status_(\w+) .*/, '$1'))
    return [...new Set(names)].toSorted()
  }
  /** These arrive from now on, and no others. */
  const arrive = async (...names: readonly string[]): Promise<void> => {
    second += 1
    await sink.has(` ${second}`)
    expect(await arriving()).to.deep.equal(names.toSorted())
  }

  before(async () => {
    await sink.open()
    const address = { 'graphite-carbon-host': '127.0.0.1', 'graphite-carbon-port': sink.port }
    settings = defaultSettings({ 'monitoring-datadir': directory, 'graphite-metrics': true, ...address })
    const asked = () => {
      rounds += 1
      return settings
    }
    const parts = { settings: asked, clusters: () => ['demo'], figures: async () => figures, log: () => {} }
    graphite = new Graphite({ ...parts, now: () => second * SECOND + 345 }, 20)
  })
  after(async () => {
    graphite.close()
    await sink.close()
  })

  it('sends what the template lets through, before anybody wrote a list', async () => {
    await arrive('threads_running')
    expect(sink.lines).to.include('mysql.db1.mysql_global_status_threads_running 7 1795246813')
    expect(existsSync(file('whitelist.conf'))).to.equal(false)
  })

  it('puts a written list in force with a reload, and keeps the one before', async () => {
    unwrap(await graphite.setList('demo', 'whitelist', 'uptime$\n'))
    await arrive('threads_running')
    unwrap(await graphite.reloadLists('demo'))
    await arrive('uptime')
    unwrap(await graphite.setList('demo', 'whitelist', 'commits$\n'))
    expect(readFileSync(file('whitelist.conf.old'), 'utf8')).to.equal('uptime$\n')
    expect(unwrap(await graphite.lists('demo')).whitelist).to.equal('commits$\n')
  })

  it('refuses a list that cannot be used; one that was damaged manually leaves the current ones in force', async () => {
    expect((await graphite.setList('demo', 'blacklist', '(\n')).ok).to.equal(false)
    writeFileSync(file('whitelist.conf'), '(\n')
    expect(await graphite.reloadLists('demo'))
      .to.have.nested.property('failure.message')
      .that.matches(/^whitelist: pattern 1/)
    await arrive('uptime')
  })

  it('starts again from a template', async () => {
    unwrap(await graphite.resetLists('demo', 'all'))
    await arrive('threads_running', 'uptime', 'binlog_commits')
    unwrap(await graphite.resetLists('demo', 'grafana'))
    await arrive('threads_running', 'binlog_commits')
  })

  it('follows the settings at once: lists switched off, and nothing sent', async () => {
    settings = { ...settings, 'graphite-whitelist': false }
    await arrive('threads_running', 'uptime', 'binlog_commits')
    settings = { ...settings, 'graphite-metrics': false }
    second += 1
    const before = rounds
    await eventually(() => rounds >= before + 5, 'five rounds without metrics')
    const without = second
    settings = { ...settings, 'graphite-metrics': true }
    await arrive('threads_running', 'uptime', 'binlog_commits')
    expect(linesOf(without)).to.deep.equal([])
  })
})
