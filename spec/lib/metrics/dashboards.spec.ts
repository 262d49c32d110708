// The dashboards that come along ask only for what is exported.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { sharePath } from '../../../lib/base/package-root.js'
import { families, STATUS_PREFIX } from '../../../lib/metrics/families.js'

const ofProcess = new Set(['manager_loop_delay_seconds'])

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

describe('dashboards', () => {
  for (const file of readdirSync(sharePath('grafana')))
    it(`ask for families that are exported: ${file}`, () => {
      const { panels } = JSON.parse(readFileSync(path.join(sharePath('grafana'), file), 'utf8')) as Dashboard
      const names = panels
        .flatMap(({ targets }) => targets)
        .flatMap(({ expr }) => expr.match(/\b(?:manager|mysql)_\w+/g) ?? [])
      expect(names.length).to.be.above(5)
      const unknown = names
        .map((name) => name.replace(/_bucket$/, ''))
        .filter((name) => !(name in families) && !ofProcess.has(name) && !name.startsWith(STATUS_PREFIX))
      expect(unknown).to.deep.equal([])
    })
})
