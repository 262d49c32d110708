// The alert rules that come along, and the page about them: sound, tested, and about what is exported.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { packageRoot, sharePath } from '../../../lib/base/package-root.js'
import { findRunbook } from '../../../lib/model/findings/runbook/runbooks.js'
import { findings } from '../../../lib/model/findings.js'
import { isExported, namesIn } from '../../support/configuration/exported.js'
import { newDirectory } from '../../support/machine/directories.js'

const rulesFile = sharePath('prometheus', 'alerts.yml')
const testFile = path.join(packageRoot, 'spec/fixture/prometheus/alerts.test.yml')
const page = readFileSync(sharePath('doc', 'prometheus.md'), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<string, string>>
}
interface Case {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[]
}

const { groups } = parse(readFileSync(rulesFile, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const { tests } = parse(readFileSync(testFile, 'utf8')) as { tests: readonly Case[] }

/** Status and words of promtool. */
const promtool = (...args: readonly string[]): Promise<{ readonly ok: boolean; readonly text: string }> =>
  new Promise((resolve) =>
    execFile('promtool', args, (error, stdout, stderr) => resolve({ ok: error === null, text: stdout + stderr })),
  )

describe('alert rules', () => {
  it('are taken by promtool', async () => {
    const { ok, text } = await promtool('check', 'rules', rulesFile)
    expect(ok, text).to.equal(true)
  })

  it('fire when they should and are silent otherwise, by their unit tests', async () => {
    const { ok, text } = await promtool('test', 'rules', testFile)
    expect(ok, text).to.equal(true)
  })

  it('would fail a test that expects something else', async () => {
    const file = path.join(newDirectory('rules'), 'wrong.yml')
    const text = readFileSync(testFile, 'utf8').replace(
      'summary: shop does not accept writes.',
      'summary: shop is fine.',
    )
    writeFileSync(file, text.replace('../../../share/prometheus/alerts.yml', rulesFile))
    expect((await promtool('test', 'rules', file)).ok).to.equal(false)
  })

  it('are each seen firing by a unit test', () => {
    const fired = tests.flatMap((one) => one.alert_rule_test).filter((one) => one.exp_alerts.length > 0)
    expect(new Set(fired.map(({ alertname }) => alertname))).to.deep.equal(new Set(rules.map(({ alert }) => alert)))
  })

  for (const { alert, expr, labels, annotations } of rules)
    describe(alert, () => {
      it('asks for families that are exported', () => {
        expect(namesIn(expr)).to.not.equal([])
        expect(namesIn(expr).filter((name) => !isExported(name))).to.deep.equal([])
      })

      it('names codes of findings that exist', () => {
        const codes = /code=~?"([^"]+)"/.exec(expr)?.[1]?.split('|') ?? []
        for (const code of codes) expect(findings, code).to.have.property(code)
      })

      it('links to a page that exists: of its own, or of the finding that it is about', () => {
        const [, name = ''] =
          /^http:\/\/localhost:10001\/api\/runbooks\/([^?]+)/.exec(annotations.runbook_url ?? '') ?? []
        if (name === '{{ $labels.code }}') expect(expr).to.include('manager_finding')
        else expect(findRunbook(name)?.name, annotations.runbook_url).to.equal(name)
      })

      it('says how urgent it is, what is wrong and what to do, and is on the page', () => {
        expect(['critical', 'warning', 'info']).to.include(labels.severity)
        expect(Object.keys(annotations)).to.deep.equal(['summary', 'description', 'runbook_url'])
        expect(page).to.include(`\`${alert}\``)
      })
    })
})

describe('share/doc/prometheus.md', () => {
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const configurations = blocks.filter((text) => text.startsWith('scrape_configs'))
  const [credentials = ''] = blocks.filter((text) => text.includes('credentials_file'))

  it('gives scrape configurations that Prometheus takes', async () => {
    expect(configurations).to.have.length(2)
    const folder = newDirectory('prometheus')
    for (const name of ['manager-ca.pem', 'manager-token']) writeFileSync(path.join(folder, name), '')
    for (const [index, text] of configurations.entries()) {
      const file = path.join(folder, `${index}.yml`)
      const local = text
        .replace('static_configs:', `${credentials.trim()}\n    static_configs:`)
        .replace('/etc/prometheus/manager-alerts.yml', rulesFile)
        .replaceAll('/etc/prometheus', folder)
      writeFileSync(file, local)
      const { ok, text: said } = await promtool('check', 'config', '--syntax-only', file)
      expect(ok, said).to.equal(true)
      expect(parse(text).scrape_configs[0]).to.include({ job_name: 'manager', honor_labels: true })
    }
  })

  it('names families that are exported', () => {
    const unknown = namesIn(page).filter((name) => !name.endsWith('_') && !isExported(name))
    expect(unknown).to.deep.equal([])
  })
})
