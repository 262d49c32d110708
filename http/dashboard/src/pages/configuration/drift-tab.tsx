// The review of drift: variables that differ from the configuration, and what is decided about each.
import type { Failure } from '../../client/failure.js'
import { readServers } from '../../model/cluster/server.js'
import { type Difference, readDrift } from '../../model/server/drift.js'
import { useQuery } from '../../parts/address.js'
import { Empty, Failed, Loading } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Diff } from '../../parts/code/diff.js'
import { type Column, Table } from '../../parts/list/table.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { type Decision, decide, decisions } from './setting-actions.js'

export function DriftTab({ cluster }: { readonly cluster: string }) {
  const { query, setQuery } = useQuery()
  const members = useReading('GET /api/clusters/:cluster/topology/servers', { params: { cluster } })
  const servers = readServers(members.value)
  const chosen = servers.find(({ name }) => name === query.server) ?? servers[0]
  const params = { cluster, server: chosen?.name ?? '' }
  const reading = useReading('GET /api/clusters/:cluster/servers/:server/variables-drift', {
    params,
    when: chosen !== undefined,
  })
  const preserved = useReading('GET /api/clusters/:cluster/preserved-variables-cnf', { params: { cluster } })
  const retry = () => {
    members.reload()
    reading.reload()
  }
  const { differences } = readDrift(reading.value)
  const acts = me.value?.readOnly === false
  const dynamic = { params: { cluster }, grant: 'db-config-flag' } as const
  return (
    <>
      <div class="row">
        <label>
          Server{' '}
          <select value={chosen?.name} onChange={(event) => setQuery({ server: event.currentTarget.value })}>
            {servers.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <ActionButton
          action={{
            ...dynamic,
            title: 'Apply what needs no restart',
            row: 'POST /api/clusters/:cluster/settings/actions/apply-dynamic-config',
            kind: 'interrupting',
          }}
        />
        <ActionButton
          action={{
            ...{
              title: 'The rest as a rolling restart',
              row: 'POST /api/clusters/:cluster/actions/rolling',
              kind: 'interrupting',
            },
            ...{ params: { cluster }, grant: 'cluster-rolling', follow: 'rolling' },
          }}
        >
          The rest as a rolling restart
        </ActionButton>
      </div>
      <Panel
        title="Variables that differ"
        stale={reading.isStale}
        aside={
          acts &&
          differences.length > 1 && (
            <span class="row">
              {(Object.keys(decisions) as Decision[]).map((key) => (
                <ActionButton key={key} action={decide(key, { ...params, variable: 'all' })}>
                  {decisions[key][0]} all
                </ActionButton>
              ))}
            </span>
          )
        }
      >
        {reading.value === undefined &&
          (reading.failure || (members.failure && members.value === undefined) ? (
            <Failed failure={(reading.failure ?? members.failure) as Failure} onRetry={retry} />
          ) : (
            <Loading />
          ))}
        {reading.value !== undefined && differences.length === 0 && (
          <Empty>The server runs with its configuration.</Empty>
        )}
        {differences.length > 0 && (
          <Table
            caption="Variables that differ"
            columns={[
              ...columns,
              ...(acts
                ? [
                    {
                      key: 'decide',
                      head: 'Decide',
                      cell: ({ name }: Difference) => (
                        <span class="in-line">
                          {(Object.keys(decisions) as Decision[]).map((key) => (
                            <ActionButton key={key} action={decide(key, { ...params, variable: name })}>
                              {decisions[key][0]}
                            </ActionButton>
                          ))}
                        </span>
                      ),
                    },
                  ]
                : []),
            ]}
            rows={differences}
            keyOf={({ name }) => name}
          />
        )}
      </Panel>
      {differences.length > 0 && (
        <Panel title="As an option file">
          <Diff
            before={optionsOf(differences, 'running')}
            after={optionsOf(differences, 'expected')}
            label="Running values and configured values"
          />
        </Panel>
      )}
      {preserved.value && (
        <Panel title="Preserved on every server">
          <CodeBlock text={preserved.value} label="Preserved variables" />
        </Panel>
      )}
    </>
  )
}

const optionsOf = (differences: readonly Difference[], side: 'running' | 'expected'): string =>
  `${differences.map((each) => `${each.name} = ${each[side]}`).join('\n')}\n`

const tones: Readonly<Record<string, 'warning' | 'note' | 'good' | 'plain'>> = {
  ...{ undecided: 'warning', preserved: 'note', agreed: 'good', cleared: 'plain', pending: 'note' },
}

const columns: readonly Column<Difference>[] = [
  { key: 'name', head: 'Variable', cell: ({ name }) => <span class="mono">{name}</span>, sort: ({ name }) => name },
  { key: 'running', head: 'Runs with', cell: ({ running }) => <span class="mono setting-value">{running}</span> },
  { key: 'expected', head: 'Configured', cell: ({ expected }) => <span class="mono setting-value">{expected}</span> },
  { key: 'deployed', head: 'In its files', cell: ({ deployed }) => deployed ?? null },
  { key: 'origin', head: 'Set by', cell: ({ origin }) => origin ?? null, sort: ({ origin }) => origin },
  {
    key: 'state',
    head: 'Decided',
    cell: ({ state }) => <Tag tone={tones[state] ?? 'plain'}>{state}</Tag>,
    sort: ({ state }) => state,
  },
]
