// Tags by category and resources: chosen here, shown with their effect, applied when that is wanted.
import { useComputed, useSignal } from '@preact/signals'
import { readMemory, readPreview, readTags, type TagChoice } from '../../model/configuration/preview.js'
import { joinSettings } from '../../model/configuration/settings.js'
import { Button } from '../../parts/basic/button.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import type { Action } from '../../plan/action.js'
import { openPlan } from '../../plan/open-plan.js'
import { may, me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { Effects } from './effects.js'
import { MemoryView } from './memory-view.js'
import { addTag, dropTag, setSetting } from './setting-actions.js'

const resources = [
  ...['prov-db-memory', 'prov-db-cores', 'prov-db-iops', 'prov-db-disk', 'prov-db-max-connections'],
  ...['prov-db-memory-shared-pct', 'prov-db-memory-threaded-pct', 'prov-db-expire-log-days'],
]

export function TagsTab({ cluster }: { readonly cluster: string }) {
  const parts = useReading('GET /api/clusters/:cluster/configuration', { params: { cluster } })
  const catalogue = useReading('GET /api/settings/catalogue')
  const values = useReading('GET /api/clusters/:cluster/settings', {
    params: { cluster },
    query: { detail: true, name: 'prov-db' },
  })
  /** Tags whose choice is another one than in force, and resources with another value. */
  const turned = useSignal<ReadonlySet<string>>(new Set())
  const sizes = useSignal<Readonly<Record<string, string>>>({})
  const tags = readTags(parts.value)
  const isChanged = useComputed(() => turned.value.size > 0 || Object.keys(sizes.value).length > 0).value
  const add = tags.filter(({ name, isChosen }) => turned.value.has(name) && !isChosen).map(({ name }) => name)
  const drop = tags.filter(({ name, isChosen }) => turned.value.has(name) && isChosen).map(({ name }) => name)
  const query = {
    ...(add.length === 0 ? {} : { add: add.join(',') }),
    ...(drop.length === 0 ? {} : { drop: drop.join(',') }),
    ...sizes.value,
    replace: true,
  }
  const effect = useReading('GET /api/clusters/:cluster/configuration/preview', {
    params: { cluster },
    query,
    when: isChanged,
  })
  const preview = effect.value === undefined ? undefined : readPreview(effect.value)
  const settings = joinSettings(values.value, catalogue.value, 'cluster').filter(({ name }) => resources.includes(name))
  const turn = (name: string) => {
    const next = new Set(turned.peek())
    if (!next.delete(name)) next.add(name)
    turned.value = next
  }
  const keep = (size: string) => {
    const { [size]: _, ...rest } = sizes.peek()
    sizes.value = rest
  }
  const reset = () => {
    turned.value = new Set()
    sizes.value = {}
  }
  /** One plan sheet after the other: what one changes is part of the plan of the next. */
  const steps: readonly Step[] = [
    ...drop.map((tag) => ({ action: dropTag(cluster, tag), done: () => turn(tag) })),
    ...add.map((tag) => ({ action: addTag(cluster, tag), done: () => turn(tag) })),
    ...settings.flatMap((setting) => {
      const size = sizes.value[setting.name]
      if (size === undefined) return []
      return [{ action: setSetting(setting, size, cluster), done: () => keep(setting.name) }]
    }),
  ]
  if (parts.value === undefined)
    return parts.failure ? <Failed failure={parts.failure} onRetry={parts.reload} /> : <Loading />
  const permission = may(
    [
      ...(turned.value.size > 0 ? ['db-config-flag'] : []),
      ...(Object.keys(sizes.value).length > 0 ? ['cluster-settings'] : []),
    ],
    cluster,
  )
  return (
    <>
      <div class="split">
        <Panel title="Resources">
          <div class="resources">
            {settings.map(({ name, value, doc, unit }) => (
              <label key={name} title={doc}>
                {name.replace('prov-db-', '').replaceAll('-', ' ')}
                {unit !== undefined && ` (${unit})`}
                <input
                  value={sizes.value[name] ?? value}
                  disabled={me.value?.readOnly !== false}
                  onChange={(event) => {
                    const typed = event.currentTarget.value.trim()
                    const { [name]: _, ...rest } = sizes.peek()
                    sizes.value = typed === value ? rest : { ...rest, [name]: typed }
                  }}
                />
              </label>
            ))}
          </div>
        </Panel>
        <Panel title="Memory">
          {isChanged && preview ? (
            <MemoryView split={preview.after} before={preview.before} />
          ) : (
            <MemoryView split={readMemory(parts.value)} />
          )}
        </Panel>
      </div>
      <Panel title="Tags" aside={<span class="muted">{tags.filter(({ isChosen }) => isChosen).length} in force</span>}>
        <div class="tag-groups">
          {categoriesOf(tags).map(([category, own]) => (
            <fieldset key={category} disabled={me.value?.readOnly !== false}>
              <legend>{category}</legend>
              {own.map(({ name, doc, isChosen }) => (
                <label key={name} class={`tag-choice ${turned.value.has(name) ? 'tag-changed' : ''}`}>
                  <input type="checkbox" checked={isChosen !== turned.value.has(name)} onChange={() => turn(name)} />
                  <span>{name}</span>
                  <small>{doc}</small>
                </label>
              ))}
            </fieldset>
          ))}
        </div>
      </Panel>
      {isChanged && (
        <Panel
          title="Effect"
          aside={
            <span class="row">
              <Button onClick={reset}>Discard</Button>
              <Button
                kind="primary"
                permission={
                  preview && !effect.failure ? permission : { allowed: false, reason: 'Its effect is not known.' }
                }
                onClick={() => openSteps(steps)}
              >
                {steps.length === 1 ? 'Apply…' : `Apply ${steps.length} changes…`}
              </Button>
            </span>
          }
        >
          {effect.failure && <Failed failure={effect.failure} onRetry={effect.reload} />}
          {!preview && !effect.failure && <Loading what="Evaluating" />}
          {preview && !effect.failure && (
            <>
              {preview.dropped.filter((tag) => !drop.includes(tag)).length > 0 && (
                <p>
                  Contradicting tags are dropped: {preview.dropped.filter((tag) => !drop.includes(tag)).join(', ')}.
                </p>
              )}
              <Effects preview={preview} />
            </>
          )}
        </Panel>
      )}
    </>
  )
}

interface Step {
  readonly action: Action
  readonly done: () => void
}

/** The next sheet opens when the manager has done what the one before it asked; one that is closed ends the row. */
function openSteps([step, ...others]: readonly Step[], of = others.length + 1): void {
  if (!step) return
  const at = of - others.length
  const title = of === 1 ? step.action.title : `${step.action.title} (${at} of ${of})`
  openPlan({ ...step.action, title }, () => {
    step.done()
    openSteps(others, of)
  })
}

function categoriesOf(tags: readonly TagChoice[]): readonly (readonly [string, readonly TagChoice[]])[] {
  const categories = [...new Set(tags.map(({ category }) => category))].toSorted()
  return categories.map((category) => [category, tags.filter((tag) => tag.category === category)])
}
