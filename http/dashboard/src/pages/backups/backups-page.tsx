// The backups of a cluster: what there is and what was proven, what the policy misses, and the way back to a point.
import { readFindings } from '../../model/cluster/finding.js'
import { isOfBackups, readBackups } from '../../model/upkeep/backups.js'
import { Empty, Failed, Loading } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import type { PageProps } from '../../parts/page-props.js'
import type { Action } from '../../plan/action.js'
import { ActionButton } from '../../plan/action-button.js'
import { useReading } from '../../store/reading.js'
import { remedyOf } from '../cluster/actions/remedies.js'
import { BackupsTable } from './backups-table.js'
import { RecoveryPanel } from './recovery-panel.js'
import './backups.css'

const EVERY_MS = 5_000

export function page({ params: { cluster = '' } }: PageProps) {
  const reading = useReading('GET /api/clusters/:cluster/backups', { params: { cluster }, every: EVERY_MS })
  const backups = readBackups(reading.value)
  const hasValid = backups.some(({ state }) => state === 'valid')
  return (
    <div class="page backups-page">
      <PolicyPanel cluster={cluster} />
      <Panel
        title="Backups"
        stale={reading.isStale}
        aside={
          <>
            {reading.isStale && reading.at !== undefined && (
              <Tag tone="warning">
                as of <Moment at={reading.at} as="time" />
              </Tag>
            )}
            <ActionButton action={backupOf(cluster, 'logical')}>Logical backup</ActionButton>
            <ActionButton action={backupOf(cluster, 'physical')}>Physical backup</ActionButton>
            <ActionButton
              action={proofOf(cluster)}
              refused={hasValid ? undefined : 'There is no valid backup to prove.'}
            >
              Prove the newest
            </ActionButton>
          </>
        }
      >
        {reading.value !== undefined ? (
          <BackupsTable backups={backups} proofOf={(id) => proofOf(cluster, id)} />
        ) : reading.failure ? (
          <Failed failure={reading.failure} onRetry={reading.reload} />
        ) : (
          <Loading />
        )}
      </Panel>
      <RecoveryPanel key={cluster} cluster={cluster} />
    </div>
  )
}

function PolicyPanel({ cluster }: { readonly cluster: string }) {
  const reading = useReading('GET /api/clusters/:cluster/topology/alerts', { params: { cluster }, every: EVERY_MS })
  if (reading.value === undefined) return null
  const missed = readFindings(reading.value).filter(isOfBackups)
  return (
    <Panel title="Policy" stale={reading.isStale}>
      {missed.length === 0 && <Empty>No finding about backups is open.</Empty>}
      <ul class="policy">
        {missed.map((finding) => {
          const remedy = remedyOf(cluster, finding, [])
          return (
            <li key={`${finding.code} ${finding.text}`}>
              <StateMark state={finding.severity === 'error' ? 'broken' : 'degraded'} word={finding.severity} compact />
              <div>
                <p>{finding.text}</p>
                {finding.hint !== undefined && <p class="muted">{finding.hint}</p>}
                <p class="row">
                  {finding.runbook !== undefined && (
                    <a href={finding.runbook} target="_blank" rel="noreferrer">
                      {finding.code} runbook
                    </a>
                  )}
                  {remedy && <ActionButton action={remedy} />}
                </p>
              </div>
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

const backupOf = (cluster: string, kind: 'logical' | 'physical'): Action => ({
  ...{
    title: `Make a ${kind} backup`,
    row: `POST /api/clusters/:cluster/actions/backup-${kind}`,
    params: { cluster },
    grant: 'db-backup',
  },
  ...{ kind: 'harmless', follow: 'job', command: ['backup', `--${kind}`] },
})

const proofOf = (cluster: string, backup?: string): Action => ({
  title: backup === undefined ? 'Prove the newest backup' : `Prove the backup ${backup}`,
  ...{
    row: 'POST /api/clusters/:cluster/actions/prove-backup',
    params: { cluster },
    grant: 'db-backup',
    kind: 'harmless',
    follow: 'job',
  },
  ...(backup === undefined ? {} : { query: { backup } }),
})
