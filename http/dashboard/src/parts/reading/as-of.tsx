// Of when what is shown is, where that is not now.
import type { Reading } from '../../store/reading.js'
import { Failed, Loading } from '../basic/empty.js'
import { Moment } from '../basic/moment.js'
import { Tag } from '../basic/tag.js'

export const AsOf = ({ reading: { isStale, at } }: { readonly reading: Reading<unknown> }) =>
  isStale && at !== undefined ? (
    <Tag tone="warning">
      as of <Moment at={at} as="time" />
    </Tag>
  ) : null

/** In place of what was not read yet, or could not be. */
export const NotRead = ({ reading: { failure, reload } }: { readonly reading: Reading<unknown> }) =>
  failure ? <Failed failure={failure} onRetry={reload} /> : <Loading />
