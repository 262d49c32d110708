import { expect } from 'chai'
import { logLoaded } from '../../../../actors/manager/configuration/log-loaded.js'
import type { Configuration, Scope } from '../../../../lib/settings/configuration/configuration.js'
import { defaultSettings } from '../../../../lib/settings/index.js'

const scope = (on: boolean, level: number): Scope =>
  ({
    settings: { ...defaultSettings(), 'log-config-load': on, 'log-config-load-level': level },
    given: new Map(),
    saved: new Map(),
  }) as unknown as Scope

describe('logLoaded', () => {
  it('writes a line for each scope that asks for it, from verbosity 3', () => {
    const clusters = new Map([
      ['asks', scope(true, 3)],
      ['is-quiet', scope(true, 2)],
      ['is-off', scope(false, 4)],
    ])
    const lines: unknown[] = []
    logLoaded({ server: scope(true, 4), clusters } as unknown as Configuration, (_level, code, fields) =>
      lines.push([code, fields?.scope]),
    )
    expect(lines).to.deep.equal([
      ['configuration-read', 'Default'],
      ['configuration-read', 'asks'],
    ])
  })
})
