// A rehearsed failover reaches nothing but the copy that it is played on.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { rehearse } from '../../../../actors/cluster/operations/rehearsal.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import { defaultSettings, exportSettings } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { NOW, primary, replica, situation } from '../../../support/simulator/situation.js'

describe('rehearse', () => {
  it('runs no script of an operator', async () => {
    const directory = newDirectory('rehearsal')
    const [script, ran] = [path.join(directory, 'before'), path.join(directory, 'ran')]
    writeFileSync(script, `#!/bin/sh\n: > ${ran}\n`, { mode: 0o755 })
    const settings = defaultSettings({
      'db-servers-hosts': ['db1', 'db2', 'db3'],
      'failover-mode': 'automatic',
      'failover-pre-script': script,
    })
    const { snapshot, memory } = situation([primary(), replica(2), replica(3)])
    const init = { name: 'c1', directory, settings: exportSettings(settings) }
    const start = initialState(init, { memory: freshMemory, damage: [] }, NOW)
    const state = { ...start, snapshot, memory, ready: true }
    await rehearse({ state, ticks: 1, context: { signal: new AbortController().signal } as never })
    expect(existsSync(ran)).to.equal(false)
  })
})
