// The certificates of a cluster: what the manager made, what each server runs with, and their rotation.
import { readServers, type Server } from '../../model/cluster/server.js'
import { readValues } from '../../model/server/variables.js'
import {
  type ClusterCertificates,
  certificateUses,
  expiryOfStatus,
  readClusterCertificates,
} from '../../model/upkeep/certificates.js'
import { Empty } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import type { Action } from '../../plan/action.js'
import { ActionButton } from '../../plan/action-button.js'
import { may, me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { Expiry, ValidityMark } from './validity.js'
import './certificates.css'

const EVERY_MS = 30_000

const uses = {
  ca: 'Authority: signs the others',
  server: 'Of servers',
  client: 'Of clients, and of the manager',
} as const

export function page({ params: { cluster = '' } }: PageProps) {
  const reading = useReading('GET /api/clusters/:cluster/certificates', { params: { cluster }, every: EVERY_MS })
  const members = useReading('GET /api/clusters/:cluster/topology/servers', { params: { cluster }, every: EVERY_MS })
  const set = readClusterCertificates(reading.value, cluster)
  const servers = readServers(members.value)
  return (
    <div class="page certificates-page">
      <Panel title="Made by the manager" stale={reading.isStale} aside={<AsOf reading={reading} />}>
        {reading.value === undefined ? (
          <NotRead reading={reading} />
        ) : set ? (
          <Made set={set} />
        ) : (
          <Empty>None yet: the manager makes them with the first configuration archive.</Empty>
        )}
      </Panel>
      {reading.value !== undefined && <Rotation cluster={cluster} isRotating={set?.rotating === true} />}
      {servers.length > 0 && may('db-show-status', cluster).reason?.startsWith('Needs') !== true && (
        <Panel title="In use by servers" stale={members.isStale}>
          <Table
            caption="Certificates that servers run with"
            rows={servers}
            keyOf={({ id }) => id}
            columns={[
              { key: 'server', head: 'Server', sort: ({ name }) => name, cell: ({ name }) => name },
              {
                key: 'expires',
                head: 'Its certificate expires',
                wide: true,
                cell: (server) => <InUse cluster={cluster} server={server} />,
              },
            ]}
          />
        </Panel>
      )}
    </div>
  )
}

const Made = ({ set }: { readonly set: ClusterCertificates }) => (
  <Table
    caption="Certificates that the manager made"
    rows={certificateUses.flatMap((use) => {
      const found = set[use]
      return found ? [{ ...found, use }] : []
    })}
    keyOf={({ use }) => use}
    columns={[
      { key: 'state', head: 'State', cell: (each) => <ValidityMark of={each} /> },
      { key: 'use', head: 'Use', cell: ({ use }) => uses[use] },
      { key: 'expires', head: 'Expires', cell: (each) => <Expiry of={each} /> },
      {
        key: 'subject',
        head: 'Subject and fingerprint',
        wide: true,
        cell: ({ subject, fingerprint }) => (
          <>
            {subject}
            {fingerprint !== undefined && <div class="mono muted fingerprint">{fingerprint}</div>}
          </>
        ),
      },
    ]}
  />
)

function Rotation({ cluster, isRotating }: { readonly cluster: string; readonly isRotating: boolean }) {
  const path = `/c/${encodeURIComponent(cluster)}`
  return (
    <Panel
      title="Rotation"
      aside={isRotating ? <Tag tone="warning">the former authority is still trusted</Tag> : <Tag>none runs</Tag>}
    >
      <ol class="rotation-steps">
        <li aria-current={isRotating ? undefined : 'step'}>
          The manager makes a new authority with new certificates; both authorities are trusted.
        </li>
        <li aria-current={isRotating ? 'step' : undefined}>
          Each server takes them over when it fetches its configuration and starts: restart them one by one from the{' '}
          <a href={path}>page of the cluster</a>.
        </li>
        <li>When all of them run with the new ones, the former authority is no longer trusted.</li>
      </ol>
      {me.value?.readOnly === false && (
        <div class="certificate-actions">
          {actionsFor(cluster, isRotating).map(({ action, refused }) => (
            <ActionButton key={action.title} action={action} refused={refused} />
          ))}
        </div>
      )}
    </Panel>
  )
}

function actionsFor(
  cluster: string,
  isRotating: boolean,
): readonly { readonly action: Action; readonly refused?: string }[] {
  const params = { cluster }
  const rotate = {
    row: 'POST /api/clusters/:cluster/actions/certificates-rotate',
    params,
    grant: 'cluster-certificates-rotate',
  } as const
  return [
    {
      action: { ...rotate, title: 'Make new certificates', kind: 'harmless' },
      ...(isRotating ? { refused: 'A rotation runs: retire the former authority first.' } : {}),
    },
    {
      action: {
        ...rotate,
        title: 'Retire the former authority',
        query: { step: 'retire' as const },
        kind: 'interrupting',
      },
      ...(isRotating ? {} : { refused: 'Only one authority is trusted.' }),
    },
    {
      action: {
        ...{
          title: 'Read the files again',
          row: 'POST /api/clusters/:cluster/actions/certificates-reload',
          params,
          kind: 'harmless',
        },
        grant: 'cluster-certificates-reload',
      },
    },
  ]
}

/** By its own status. */
function InUse({ cluster, server: { name } }: { readonly cluster: string; readonly server: Pick<Server, 'name'> }) {
  const status = useReading('GET /api/clusters/:cluster/servers/:server/status', {
    params: { cluster, server: name },
    every: EVERY_MS,
  })
  if (status.value === undefined) return <span class="muted">{status.failure?.text ?? '…'}</span>
  const values = readValues(status.value)
  const notAfter = expiryOfStatus(values.get('ssl_server_not_after'))
  const notBefore = expiryOfStatus(values.get('ssl_server_not_before'))
  if (notAfter === undefined) return <span class="muted">It has none, or is built without TLS.</span>
  const times = { notAfter, notBefore: notBefore ?? 0 }
  return (
    <span class="row">
      <ValidityMark of={times} /> {notBefore !== undefined && <Expiry of={times} />}
    </span>
  )
}
