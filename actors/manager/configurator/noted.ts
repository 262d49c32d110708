// The configurator with its changes recorded in the history of settings: tags and discoveries can be undone, too.

import { findSetting } from '../../../lib/settings/table/index.js'
import type { ConfiguratorFace } from '../../protocol/manager/configurator.js'
import type { SettingChanges } from '../configuration/setting-changes.js'
import { tagLists } from './tags.js'

export const notedConfigurator = (face: ConfiguratorFace, changes: SettingChanges): ConfiguratorFace => ({
  discover: (request) =>
    changes.noting(
      request,
      () => face.discover(request),
      ({ applied, settings }) =>
        applied ? [tagLists.database, ...settings.flatMap(({ name }) => findSetting(name) ?? [])] : [],
    ),
  addTag: (request) =>
    changes.noting(
      request,
      () => face.addTag(request),
      () => [tagLists[request.kind]],
    ),
  dropTag: (request) =>
    changes.noting(
      request,
      () => face.dropTag(request),
      () => [tagLists[request.kind]],
    ),
  applyDynamic: (request) => face.applyDynamic(request),
  drift: (question) => face.drift(question),
  decideDrift: (request) => face.decideDrift(request),
  preservedVariables: (cluster) => face.preservedVariables(cluster),
  configuration: (cluster) => face.configuration(cluster),
  preview: (request) => face.preview(request),
  tags: () => face.tags(),
  plans: face.plans,
})
