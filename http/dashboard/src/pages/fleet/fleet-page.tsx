// The fleet: every cluster that the user may see, those in trouble first.

import { useQuery } from '../../parts/address.js'
import { Empty, Failed, Loading } from '../../parts/basic/empty.js'
import { connection, fleet } from '../../store/fleet/fleet.js'
import { FleetTable } from './fleet-table.js'
import { Happened } from './happened.js'
import { Tiles } from './tiles.js'
import { Toolbar } from './toolbar.js'
import { useArranged } from './use-arranged.js'

export function FleetPage() {
  const { query, setQuery } = useQuery()
  const { q = '', sort = '', as = 'tiles', by = '' } = query
  const grouped = by === 'tag'
  const { arranged, hold } = useArranged({ filter: q, sort, grouped })
  const state = connection.value
  return (
    <div class="fleet">
      <h1 class="hidden">Fleet</h1>
      <Toolbar query={query} setQuery={setQuery} shown={arranged.shown} total={arranged.total} fault={arranged.fault} />
      <div class="fleet-body">
        <div class={state.type === 'lost' ? 'fleet-clusters stale' : 'fleet-clusters'}>
          {!fleet.known.value &&
            (state.type === 'lost' ? <Failed failure={state.failure} /> : <Loading what="Reading the fleet" />)}
          {fleet.known.value && arranged.total === 0 && <Empty>There is no cluster that you may see.</Empty>}
          {arranged.total > 0 && arranged.shown === 0 && (
            <Empty>
              No cluster fits this filter. <a href="/">Show all</a>
            </Empty>
          )}
          {arranged.shown > 0 &&
            (as === 'table' ? (
              <FleetTable
                groups={arranged.groups}
                grouped={grouped}
                hold={hold}
                sort={sort}
                onSort={(next) => setQuery({ sort: next })}
              />
            ) : (
              <Tiles groups={arranged.groups} grouped={grouped} hold={hold} />
            ))}
        </div>
        <Happened />
      </div>
    </div>
  )
}
