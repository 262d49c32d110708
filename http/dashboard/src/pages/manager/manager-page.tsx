// The manager itself: what it is, what it takes of its host, what it logged last.
import { readLogLines } from '../../model/server/logs.js'
import { groupFindings } from '../../model/upkeep/finding-groups.js'
import { readFigures, readIdentity, type Used } from '../../model/upkeep/manager.js'
import { fieldsOf } from '../../model/wire.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { Facts } from '../../parts/list/facts.js'
import { Table } from '../../parts/list/table.js'
import { AsOf } from '../../parts/reading/as-of.js'
import { type Reading, useReading } from '../../store/reading.js'
import { renderBytes, renderCount, renderDuration } from '../../text/numbers.js'

const FIGURES_MS = 5_000
const LOG_MS = 10_000

export function page() {
  const figures = useReading('GET /api/global/metrics', { every: FIGURES_MS })
  const monitor = useReading('GET /api/monitor', { every: LOG_MS })
  const { version, system, uuid, user, clusters } = readIdentity(monitor.value)
  const host = readFigures(figures.value)
  return (
    <div class="page">
      <h1>The manager</h1>
      <Panel title="Service" stale={monitor.isStale} aside={<AsOf reading={monitor} />}>
        <Missing reading={monitor} />
        <Facts
          facts={[
            ['Version', version],
            ['Runs on', system],
            ['As user', user],
            ['Clusters', clusters !== undefined && renderCount(clusters)],
            ['Its id', uuid],
          ]}
        />
      </Panel>
      <Panel title="Host and process" stale={figures.isStale} aside={<AsOf reading={figures} />}>
        <Missing reading={figures} />
        <Facts
          facts={[
            ['Host', host.hostname],
            ['Processors', host.cores],
            ['Load of the processors', host.cpuPercent !== undefined && `${host.cpuPercent} %`],
            ['Memory of the host', host.memory && renderUsed(host.memory)],
            [host.disk?.path === undefined ? 'Disk' : `Disk of ${host.disk.path}`, host.disk && renderUsed(host.disk)],
            ['Memory of the manager', host.residentBytes !== undefined && renderBytes(host.residentBytes)],
            ['Its heap', host.heapBytes !== undefined && renderBytes(host.heapBytes)],
            ['Process', host.pid],
            ['Runs for', host.uptimeMs !== undefined && renderDuration(host.uptimeMs)],
          ]}
        />
      </Panel>
      <OtherManagers />
      {monitor.value !== undefined && (
        <Panel title="Log" stale={monitor.isStale}>
          <Table
            caption="The latest lines of the log of the manager"
            rows={readLogLines(fieldsOf(monitor.value).logs).map((line, at) => ({ ...line, key: `${at} ${line.at}` }))}
            keyOf={({ key }) => key}
            limit={50}
            empty="No line is kept."
            columns={[
              { key: 'at', head: 'When', cell: ({ at }) => <span class="number">{at}</span> },
              {
                key: 'level',
                head: 'Level',
                sort: ({ level }) => level,
                cell: ({ level }) => <Tag tone={tones[level] ?? 'plain'}>{level}</Tag>,
              },
              { key: 'text', head: 'Text', wide: true, cell: ({ text }) => text },
            ]}
          />
        </Panel>
      )}
    </div>
  )
}

/** Findings that say that another manager is connected to the servers of a cluster. */
const RIVAL: ReadonlySet<string> = new Set(['ERR00022', 'WARN0340'])

/** Nothing where there is none. */
function OtherManagers() {
  const reading = useReading('GET /api/global/alerts', { every: LOG_MS })
  const found = groupFindings(reading.value).filter(({ code }) => RIVAL.has(code))
  const places = found.flatMap(({ code, severity, findings }) => findings.map((each) => ({ ...each, code, severity })))
  if (places.length === 0) return null
  return (
    <Panel title="Other managers" stale={reading.isStale} aside={<AsOf reading={reading} />}>
      <Table
        caption="Clusters that another manager is connected to"
        rows={places}
        keyOf={({ cluster, code }) => `${cluster} ${code}`}
        columns={[
          {
            key: 'acts',
            head: 'Who acts',
            cell: ({ severity }) =>
              severity === 'error' ? (
                <StateMark state="broken" word="the other one: this one holds back" />
              ) : (
                <StateMark state="degraded" word="this one" />
              ),
          },
          {
            key: 'cluster',
            head: 'Cluster',
            sort: ({ cluster }) => cluster,
            cell: ({ cluster }) => <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>,
          },
          { key: 'text', head: 'What', wide: true, cell: ({ text }) => text },
        ]}
      />
    </Panel>
  )
}

const tones: Readonly<Record<string, 'error' | 'warning'>> = {
  ...{ ERROR: 'error', ALERT: 'error', WARN: 'warning', WARNING: 'warning' },
}

const renderUsed = ({ used, total, percent }: Used): string =>
  `${renderBytes(used)} of ${renderBytes(total)} used (${percent} %)`

function Missing({ reading: { value, failure, reload } }: { readonly reading: Reading<unknown> }) {
  if (value !== undefined) return null
  return failure ? <Failed failure={failure} onRetry={reload} /> : <Loading />
}
