// The configuration of a cluster: tags and resources with their effect, drift, settings, history.
import type { ComponentType } from 'preact'
import type { PageProps } from '../../parts/page-props.js'
import './configuration.css'
import { DriftTab } from './drift-tab.js'
import { HistoryTab } from './history-tab.js'
import { SettingsTab } from './settings-tab.js'
import { TagsTab } from './tags-tab.js'

interface TabForm {
  readonly key: string
  readonly title: string
  readonly show: ComponentType<{ readonly cluster: string }>
}

const tabs: readonly TabForm[] = [
  { key: 'tags', title: 'Tags and resources', show: TagsTab },
  { key: 'drift', title: 'Drift', show: DriftTab },
  { key: 'settings', title: 'Settings', show: SettingsTab },
  { key: 'history', title: 'History', show: HistoryTab },
]

export function page({ params: { cluster = '', tab = 'tags' } }: PageProps) {
  const { show: Show } = tabs.find(({ key }) => key === tab) ?? (tabs[0] as TabForm)
  return (
    <div class="page configuration-page">
      <nav class="tabs" aria-label="Parts of the configuration">
        {tabs.map(({ key, title }) => (
          <a
            key={key}
            href={`/c/${encodeURIComponent(cluster)}/configuration/${key}`}
            aria-current={key === tab ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <Show cluster={cluster} />
    </div>
  )
}
