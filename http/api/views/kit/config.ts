// Settings as one flat object, as clients read `config`: JSON keys of the table, misspelt ones beside the right ones.

import type { SettingView } from '../../../../actors/protocol/manager/face.js'
import { factsBeside } from '../../../../lib/settings/configuration/view.js'
import { findSetting } from '../../../../lib/settings/table/index.js'
import { settingJsonKeys } from '../../../../lib/settings/table/json-key.js'
import { recognisedValues } from '../../../../lib/settings/table/recognised.js'

/** Secrets are masked. Keys of names that have no effect here are there too: existing clients read them. */
export const renderConfig = (
  settings: readonly Pick<SettingView, 'name' | 'value'>[],
  scope: 'server' | 'cluster',
): Record<string, unknown> => ({
  ...recognisedValues(scope),
  ...factsBeside(settings.find(({ name }) => name === 'failover-mode')?.value),
  ...Object.fromEntries(
    settings.flatMap(({ name, value }) => {
      const known = findSetting(name)
      return (known ? settingJsonKeys(known) : [name]).map((key) => [key, value] as const)
    }),
  ),
})
