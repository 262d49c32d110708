// What a cluster costs in a month: by unit family, with sponsors and partners.
import { call } from '../../client/call.js'
import { readClusterMonth, renderAmount } from '../../model/hosted/price.js'
import { useQuery } from '../../parts/address.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { CopyRequest } from '../../parts/code/code-block.js'
import { Facts } from '../../parts/list/facts.js'
import type { PageProps } from '../../parts/page-props.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { useReading } from '../../store/reading.js'
import { renderDuration } from '../../text/numbers.js'
import { EVERY_MS, Families, isOff, MonthSteps, monthOf, Off, SaveCsv } from './statement-parts.js'
import './price.css'

export function page({ params: { cluster = '' } }: PageProps) {
  const month = monthOf(useQuery().query.month)
  const query = month === undefined ? {} : { month }
  const reading = useReading('GET /api/clusters/:cluster/price', { params: { cluster }, query, every: EVERY_MS })
  const found = readClusterMonth(reading.value)
  if (isOff(reading.failure))
    return (
      <div class="page">
        <Off />
      </div>
    )
  const path = `/api/clusters/${encodeURIComponent(cluster)}/price${month === undefined ? '' : `?month=${month}`}`
  const csv = () => call('GET /api/clusters/:cluster/price', { params: { cluster }, query: { ...query, form: 'csv' } })
  return (
    <div class="page price-page">
      <Panel
        title={`Statement of ${found?.month ?? month ?? 'this month'}`}
        stale={reading.isStale}
        aside={
          <>
            <AsOf reading={reading} />
            {found && <Tag tone={found.isFinal ? 'good' : 'note'}>{found.isFinal ? 'closed' : 'running'}</Tag>}
            {found && <SaveCsv name={`${cluster}-${found.month}`} read={csv} />}
            <CopyRequest request={{ method: 'GET', path }} />
          </>
        }
      >
        {!found && <NotRead reading={reading} />}
        {found && (
          <>
            <Facts
              facts={[
                [found.isFinal ? 'Cost' : 'Cost so far', renderAmount(found.statement.cost, found.currency)],
                [
                  'At the end of the month, if nothing changes',
                  !found.isFinal && renderAmount(found.statement.projected, found.currency),
                ],
                ['A whole month as it is now', !found.isFinal && renderAmount(found.statement.rate, found.currency)],
                ['Passed of the month', found.elapsedPct !== undefined && `${found.elapsedPct} %`],
                ['Accounted', found.statement.accountedMs !== undefined && renderDuration(found.statement.accountedMs)],
                ['Sponsors', found.statement.sponsors.join(', ')],
                ['Partners', found.statement.partners.join(', ')],
              ]}
            />
            <Families cluster={cluster} families={found.statement.families} currency={found.currency} />
          </>
        )}
        {(found ?? month) !== undefined && (
          <MonthSteps month={found?.month ?? month ?? ''} isRunning={found?.isFinal === false} />
        )}
      </Panel>
    </div>
  )
}
