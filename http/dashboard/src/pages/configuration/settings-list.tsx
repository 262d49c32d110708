// Settings with what they are for: searched, changed, and given back to where they come from.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Setting } from '../../model/configuration/settings.js'
import { useQuery } from '../../parts/address.js'
import { Button } from '../../parts/basic/button.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import { Dialog } from '../../parts/overlay/dialog.js'
import { ActionButton } from '../../plan/action-button.js'
import { openPlan } from '../../plan/open-plan.js'
import { may, me } from '../../store/me.js'
import { clearSetting, GLOBAL, setSetting } from './setting-actions.js'

export interface SettingsListProps {
  readonly settings: readonly Setting[]
  /** Absent: those of the server scope. */
  readonly cluster?: string
}

export function SettingsList({ settings, cluster }: SettingsListProps) {
  const { query, setQuery } = useQuery()
  const onlyChanged = query.changed === '1'
  const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const shown = settings.filter(
    ({ name, doc, value, group, origin }) =>
      (!onlyChanged || origin !== 'default') &&
      words.every((word) => `${name} ${doc} ${value} ${group}`.toLowerCase().includes(word)),
  )
  const opened = settings.find(({ name }) => name === query.setting)
  return (
    <>
      <search class="settings-filter">
        <input
          type="search"
          aria-label="Filter settings"
          placeholder="name, meaning, value"
          value={query.q ?? ''}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
        <button
          type="button"
          class="button"
          aria-pressed={onlyChanged}
          onClick={() => setQuery({ changed: onlyChanged ? undefined : '1' })}
        >
          Only changed
        </button>
        <span class="muted number">
          {shown.length} of {settings.length}
        </span>
      </search>
      <Panel title="Settings">
        <Table
          caption="Settings"
          columns={columns}
          rows={shown}
          keyOf={({ name }) => name}
          onOpen={({ name }) => setQuery({ setting: name })}
          empty="No setting fits."
        />
      </Panel>
      <Dialog
        title={opened?.name ?? 'Setting'}
        open={opened !== undefined}
        onClose={() => setQuery({ setting: undefined })}
        as="sheet"
      >
        {opened && (
          <SettingForm
            key={`${opened.name} ${opened.value}`}
            setting={opened}
            {...(cluster === undefined ? {} : { cluster })}
            onDone={() => setQuery({ setting: undefined })}
          />
        )}
      </Dialog>
    </>
  )
}

interface FormProps {
  readonly setting: Setting
  readonly cluster?: string
  readonly onDone: () => void
}

function SettingForm({ setting, cluster, onDone }: FormProps) {
  const { doc, allowed, standard, value, origin, kind, choices, isLive, grant, isFixed, unit } = setting
  const typed = useSignal(kind === 'secret' ? '' : value)
  const field = useId()
  /** The form stays below the plan sheet until it is done: what was typed is not lost by a refusal. */
  const set = () => openPlan(setSetting(setting, typed.value, cluster), onDone)
  const permission = may(cluster === undefined ? GLOBAL : grant, cluster)
  return (
    <>
      <p class="setting-doc">{doc}</p>
      <p class="muted">
        Allowed: {allowed}
        {unit === undefined ? '' : ` (${unit})`}. Default: {standard === '' ? 'empty' : <code>{standard}</code>}. In
        force from: {origin}. {isLive ? 'A change acts at once.' : 'A change acts at the next start of the manager.'}
        {isFixed && ` It lasts until the next start: the ${origin} gives it.`}
      </p>
      {me.value?.readOnly === false && (
        <form
          class="setting-edit"
          onSubmit={(event) => {
            event.preventDefault()
            if (permission.allowed) set()
          }}
        >
          <label for={field}>Value</label>
          {kind === 'boolean' || (kind === 'choice' && choices.length > 0) ? (
            <select
              id={field}
              value={typed}
              onChange={(event) => {
                typed.value = event.currentTarget.value
              }}
            >
              {(kind === 'boolean' ? ['true', 'false'] : choices).map((choice) => (
                <option key={choice} value={choice}>
                  {choice === '' ? 'empty' : choice}
                </option>
              ))}
            </select>
          ) : (
            <input
              id={field}
              {...(kind === 'secret' ? { type: 'password' } : {})}
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => {
                typed.value = event.currentTarget.value
              }}
            />
          )}
          <Button kind="primary" permission={permission} onClick={set}>
            Set…
          </Button>
          {(origin === 'saved' || origin === 'runtime') && (
            <ActionButton action={clearSetting(setting, cluster)}>Take the change back</ActionButton>
          )}
        </form>
      )}
    </>
  )
}

const columns: readonly Column<Setting>[] = [
  {
    key: 'name',
    head: 'Setting',
    cell: ({ name, group }) => (
      <>
        <span class="mono">{name}</span> <small class="muted">{group}</small>
      </>
    ),
    sort: ({ name }) => name,
  },
  {
    key: 'value',
    head: 'Value',
    cell: ({ value, unit }) => (
      <span class="mono setting-value">
        {value.length > 60 ? `${value.slice(0, 60)}…` : value}
        {unit !== undefined && <span class="muted"> {unit}</span>}
      </span>
    ),
    sort: ({ value }) => value,
  },
  {
    key: 'origin',
    head: 'From',
    cell: ({ origin }) => <Tag tone={origin === 'default' ? 'plain' : 'note'}>{origin}</Tag>,
    sort: ({ origin }) => origin,
  },
  {
    key: 'acts',
    head: 'Acts',
    cell: ({ isLive }) => (isLive ? 'at once' : <Tag tone="warning">at the next start</Tag>),
    sort: ({ isLive }) => isLive,
  },
  { key: 'doc', head: 'Meaning', wide: true, cell: ({ doc }) => <span class="setting-doc">{doc}</span> },
]
