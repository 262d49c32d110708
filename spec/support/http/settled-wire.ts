// The scripted manager of `openWire` with every setting and one user, as a real one shows them.
import { renderClusterViews } from '../../../http/api/views/index.js'
import type { ViewInput } from '../../../http/api/views/kit/input.js'
import { maskSettings, shownValue } from '../../../lib/settings/configuration/view.js'
import { defaultSettings, settingNames } from '../../../lib/settings/index.js'
import { viewInput } from './view-input.js'
import type { Wire } from './wire.js'

export function fillIn({ face }: Wire): void {
  const settings = settingNames.map((name) => {
    const value = shownValue(name, defaultSettings()[name])
    return { name, value, origin: 'default', immutable: false } as const
  })
  face.known.splice(0, face.known.length, ...settings)
  const users = [{ user: 'admin', grants: { 'cluster-failover': true }, roles: {} }] as unknown as ViewInput['users']
  const input = viewInput({ config: maskSettings(defaultSettings()), ...(users ? { users } : {}) })
  const bytes = Buffer.from(renderClusterViews.cluster(input))
  face.views.set('demo/cluster', { bytes, etag: '2-cluster', at: 1_000 })
}
