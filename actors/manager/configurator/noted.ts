// The configurator with what it changes noted in the history of settings: tags and discoveries can be taken back, too.

import { findSetting } from '../../../lib/settings/table/index.js'
import type { ConfiguratorFace } from '../../protocol/manager/configurator.js'
import type { SettingChanges } from '../configuration/setting-changes.js'
import { tagLists } from './tags.js'

export const notedConfigurator = (face: ConfiguratorFace, changes: SettingChanges): ConfiguratorFace => ({
  discover: (wish) =>
    changes.noting(
      wish,
      () => face.discover(wish),
      ({ applied, settings }) =>
        applied ? [tagLists.database, ...settings.flatMap(({ name }) => findSetting(name) ?? [])] : [],
    ),
  addTag: (wish) =>
    changes.noting(
      wish,
      () => face.addTag(wish),
      () => [tagLists[wish.kind]],
    ),
  dropTag: (wish) =>
    changes.noting(
      wish,
      () => face.dropTag(wish),
      () => [tagLists[wish.kind]],
    ),
  applyDynamic: (wish) => face.applyDynamic(wish),
  drift: (question) => face.drift(question),
  decideDrift: (wish) => face.decideDrift(wish),
  preservedVariables: (cluster) => face.preservedVariables(cluster),
  tags: () => face.tags(),
  plans: face.plans,
})
