// The settings of a cluster.
import { joinSettings } from '../../model/configuration/settings.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { useReading } from '../../store/reading.js'
import { SettingsList } from './settings-list.js'

export function SettingsTab({ cluster }: { readonly cluster: string }) {
  const catalogue = useReading('GET /api/settings/catalogue')
  const values = useReading('GET /api/clusters/:cluster/settings', { params: { cluster }, query: { detail: true } })
  const failure = catalogue.failure ?? values.failure
  if (catalogue.value === undefined || values.value === undefined)
    return failure ? <Failed failure={failure} onRetry={values.reload} /> : <Loading />
  return <SettingsList settings={joinSettings(values.value, catalogue.value, 'cluster')} cluster={cluster} />
}
