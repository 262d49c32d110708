// The plan of a statement in the shape clients read, one row a table.

import { nullInt64, nullString } from '../kit/null.js'
import { nullFloat, type Row, text } from './live.js'

/** `S/queries/{digest}/actions/explain-…` and `analyze-…`; the latter also report what was found (`rRows`, `rFiltered`). */
export const renderPlan = (rows: readonly Row[]) =>
  rows.map((row) => ({
    id: whole(row.id),
    selectType: nullString(text(row.select_type)),
    table: nullString(text(row.table)),
    type: nullString(text(row.type)),
    possibleKeys: nullString(text(row.possible_keys)),
    key: nullString(text(row.key)),
    keyLen: nullString(text(row.key_len)),
    ref: nullString(text(row.ref)),
    rows: whole(row.rows),
    filtered: nullFloat(row.filtered),
    ...('r_rows' in row ? { rRows: nullFloat(row.r_rows), rFiltered: nullFloat(row.r_filtered) } : {}),
    extra: nullString(text(row.extra)),
  }))

function whole(value: unknown) {
  const said = text(value)
  return nullInt64(said === undefined || !Number.isFinite(Number(said)) ? undefined : Math.round(Number(said)))
}
