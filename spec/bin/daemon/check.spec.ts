// `manager check` in process, and one start of the program.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { runCheck } from '../../../bin/daemon/check.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { settingNames } from '../../../lib/settings/index.js'
import { ground } from '../../support/configuration/configuration.js'

const text = `[Default]
log-level = 2
graphite-carbon-pprof-port = 3
[alpha]
db-servers-hosts = "db1,db2"
db-servers-credential = "root:hidden"
failovr-mode = "automatic"
`

const inputOf = (place: ReturnType<typeof ground>, flags: readonly string[] = []) => ({
  file: path.join(place.directory, 'config.toml'),
  flags,
  environment: { MANAGER_MONITORING_DATADIR: place.datadir, MANAGER_FAILOVER_LIMIT: '4' },
})

describe('runCheck', () => {
  it('prints what would be in force and from where, and starts nothing', async () => {
    const place = ground(text)
    const { status, text: report } = await runCheck(inputOf(place, ['--api-port=10443']))
    expect(status).to.equal(0)
    const file = path.join(place.directory, 'config.toml')
    for (const line of [
      `warning: ${file}:7: [alpha] failovr-mode = "automatic": unknown setting; did you mean failover-mode?`,
      `no effect: ${file}:3: [Default] graphite-carbon-pprof-port: terminals and embedded metric storage are not implemented`,
      `log-level = 2 (${file}:2)`,
      'api-port = "10443" (flag)',
      'failover-limit = 4 (environment MANAGER_FAILOVER_LIMIT)',
      `db-servers-credential = "*:*" (${file}:6)`,
      'valid: 0 errors, 1 warning, 1 without effect',
    ])
      expect(report.split('\n')).to.include(line)
    expect(report).not.to.contain('hidden')
    // What nobody set is left out, unless it is asked for.
    const byDefault = 'failover-mode = "manual" (default)'
    expect(report).to.not.contain('(default)')
    expect(report).to.contain('--all lists them')
    const all = (await runCheck(inputOf(place, ['--all', '--api-port=10443']))).text
    expect(all.split('\n')).to.include(byDefault)
    expect(all).to.not.contain('--all lists them')
    expect(existsSync(place.datadir)).to.equal(false)
  })

  it('names all faults at once and ends with 2', async () => {
    const place = ground('[Default]\nlog-level = 9\n[alpha]\nfailover-mode = "x"\n[alpha]\ny = \n')
    const { status, text: report } = await runCheck(inputOf(place))
    expect(status).to.equal(2)
    expect(report.match(/^error: /gm)).to.have.length(3)
    expect(report).to.match(/\nnot valid: 3 errors, 0 warnings, 0 without effect\n$/)
  })

  it('gives the report as JSON: every setting, then what a cluster gives', async () => {
    const place = ground(text)
    for (const flags of [['--output', 'json'], ['--output=json']]) {
      const { status, text: json } = await runCheck(inputOf(place, flags))
      const report = JSON.parse(json)
      expect(status).to.equal(0)
      expect(report.default.map(({ name }: { name: string }) => name)).to.deep.equal(settingNames)
      expect(report.clusters.alpha.map(({ name }: { name: string }) => name)).to.deep.equal([
        'db-servers-hosts',
        'db-servers-credential',
      ])
      expect(report.warnings[0]).to.include({ section: 'alpha', name: 'failovr-mode' })
    }
  })

  it('refuses another output', async () => {
    expect(await runCheck(inputOf(ground(text), ['--output=xml']))).to.deep.equal({
      status: 2,
      text: '--output xml: allowed: text, json\n',
    })
  })
})

describe('manager check', () => {
  it('ends with the status of the verdict', () => {
    const place = ground(text)
    const program = path.join(packageRoot, 'dist/bin/manager.js')
    const { file } = inputOf(place)
    const run = (...words: readonly string[]) => spawnSync(process.execPath, [program, ...words, '--config', file])
    const checked = run('check', `--monitoring-datadir=${place.datadir}`, '--output', 'json', '--strict')
    expect(checked.status).to.equal(2)
    expect(JSON.parse(checked.stdout.toString()).faults[0]).to.include({ name: 'failovr-mode' })
  })
})
