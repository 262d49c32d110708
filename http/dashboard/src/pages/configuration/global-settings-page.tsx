// The settings of the manager itself.
import { joinSettings } from '../../model/configuration/settings.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { useReading } from '../../store/reading.js'
import './configuration.css'
import { HistoryTab } from './history-tab.js'
import { SettingsList } from './settings-list.js'

export function page() {
  const catalogue = useReading('GET /api/settings/catalogue')
  const values = useReading('GET /api/settings')
  const failure = catalogue.failure ?? values.failure
  return (
    <div class="page configuration-page">
      <h1>Settings of the manager</h1>
      {catalogue.value === undefined || values.value === undefined ? (
        failure ? (
          <Failed failure={failure} onRetry={values.reload} />
        ) : (
          <Loading />
        )
      ) : (
        <>
          <SettingsList settings={joinSettings(values.value, catalogue.value, 'server')} />
          <HistoryTab />
        </>
      )}
    </div>
  )
}
