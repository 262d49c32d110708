// A new silence: of one cluster or all, now or in a window that is planned.
import { useSignal } from '@preact/signals'
import { Button } from '../../parts/basic/button.js'
import { openPlan } from '../../plan/open-plan.js'
import { fleet } from '../../store/fleet/fleet.js'
import { may, me } from '../../store/me.js'
import { GLOBAL, silence } from './alert-actions.js'

const lengths = ['1h', '2h', '4h', '12h', '1d', '7d'] as const

const blank = { cluster: '', codes: '', servers: '', from: '', length: '2h', reason: '' }

export function SilenceForm() {
  const form = useSignal(blank)
  if (me.value?.readOnly !== false) return null
  void fleet.changes.value
  const names = fleet.names().filter((name) => may('cluster-alert', name).allowed)
  const { cluster, codes, servers, from, length, reason } = form.value
  const mayAll = may(GLOBAL)
  if (names.length === 0 && !mayAll.allowed) return null
  const set = (key: keyof typeof blank) => (event: { readonly currentTarget: { readonly value: string } }) => {
    form.value = { ...form.value, [key]: event.currentTarget.value }
  }
  const isAll = cluster.trim() === ''
  const permission = isAll ? mayAll : may('cluster-alert', cluster.trim())
  const add = () => {
    const at = new Date(from)
    const wish = {
      ...{ reason: reason.trim(), codes, servers, for: length },
      // What the browser's field gives has no zone: it is that of the person.
      ...(from === '' || Number.isNaN(at.getTime()) ? {} : { from: at.toISOString() }),
    }
    openPlan(silence(cluster.trim(), wish), () => {
      form.value = { ...blank, length }
    })
  }
  return (
    <details class="silence-new">
      <summary>New silence</summary>
      <form
        class="silence-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (permission.allowed && reason.trim() !== '') add()
        }}
      >
        <label>
          Cluster
          <input list="silence-clusters" value={cluster} placeholder="empty: all clusters" onInput={set('cluster')} />
          <datalist id="silence-clusters">
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label>
          Codes
          <input value={codes} placeholder="empty: all; WARN01, ERR00012" onInput={set('codes')} />
        </label>
        <label>
          Servers
          <input value={servers} placeholder="empty: all" onInput={set('servers')} />
        </label>
        <label>
          From
          <input type="datetime-local" value={from} onInput={set('from')} />
        </label>
        <label>
          For
          <select value={length} onChange={set('length')}>
            {lengths.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="silence-reason">
          Reason
          <input value={reason} maxLength={500} placeholder="rack move" onInput={set('reason')} />
        </label>
        <Button
          kind="primary"
          permission={
            permission.allowed && reason.trim() === ''
              ? { allowed: false, reason: 'Write a reason: others read it.' }
              : permission
          }
          onClick={add}
        >
          Silence {isAll ? 'all clusters' : cluster.trim()}…
        </Button>
      </form>
    </details>
  )
}
