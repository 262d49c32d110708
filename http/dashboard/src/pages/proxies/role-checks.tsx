// What load balancers are answered that ask the manager for the role of a server.
import type { Server } from '../../model/cluster/server.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Table } from '../../parts/list/table.js'
import { useReading } from '../../store/reading.js'

const CHECK_MS = 5_000

export interface RoleChecksProps {
  readonly cluster: string
  readonly servers: readonly Pick<Server, 'id' | 'name'>[]
}

export const RoleChecks = ({ cluster, servers }: RoleChecksProps) => (
  <>
    <Table
      caption="Answers to role checks"
      rows={servers}
      keyOf={({ id }) => id}
      columns={[
        { key: 'server', head: 'Server', sort: ({ name }) => name, cell: ({ name }) => name },
        {
          key: 'primary',
          head: 'Takes writes',
          cell: ({ name }) => (
            <Check cluster={cluster} server={name} row="GET /api/clusters/:cluster/servers/:server/is-master" />
          ),
        },
        {
          key: 'replica',
          head: 'May be read',
          wide: true,
          cell: ({ name }) => (
            <Check cluster={cluster} server={name} row="GET /api/clusters/:cluster/servers/:server/is-slave" />
          ),
        },
      ]}
    />
    <p class="muted role-note">
      Answered without a login at <span class="mono">/api/clusters/{cluster}/servers/…</span> with status 200 for yes
      and 503 for no.
    </p>
  </>
)

interface CheckProps {
  readonly cluster: string
  readonly server: string
  readonly row:
    | 'GET /api/clusters/:cluster/servers/:server/is-master'
    | 'GET /api/clusters/:cluster/servers/:server/is-slave'
}

function Check({ cluster, server, row }: CheckProps) {
  const { failure, at, isStale } = useReading(row, { params: { cluster, server }, every: CHECK_MS })
  if (failure?.status === 503) return <StateMark state="unknown" word="no" />
  if (failure) return <span class="muted">{failure.text}</span>
  return at === undefined || isStale ? null : <StateMark state="healthy" word="yes" />
}
