// Settings as one flat object, as clients read `config`: JSON keys of the table, misspelt ones beside the right ones.

import type { SettingView } from '../../../../actors/protocol/manager/face.js'
import { settingJsonKeys } from '../../../../lib/settings/json-key.js'
import { findSetting } from '../../../../lib/settings/table/index.js'

/** Secrets come masked and stay so. */
export const renderConfig = (settings: readonly Pick<SettingView, 'name' | 'value'>[]): Record<string, unknown> =>
  Object.fromEntries(
    settings.flatMap(({ name, value }) => {
      const known = findSetting(name)
      return (known ? settingJsonKeys(known) : [name]).map((key) => [key, value] as const)
    }),
  )
