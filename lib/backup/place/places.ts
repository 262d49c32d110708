// The kinds of places: one row each.
import { openDirectory } from './directory.js'
import type { Place, PlaceConfig } from './place.js'
import { openRestic } from './restic.js'
import { openS3 } from './s3.js'

export function openPlace(config: PlaceConfig): Place {
  switch (config.kind) {
    case 'directory':
      return openDirectory(config)
    case 'restic':
      return openRestic(config)
    case 's3':
      return openS3(config)
  }
}
