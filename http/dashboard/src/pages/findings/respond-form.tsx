// Acknowledging or silencing one code on every cluster that is shown: by the plan sheet where it is one, else on all at once; says of each that refused why it did.
import { useSignal } from '@preact/signals'
import type { Failure } from '../../client/failure.js'
import type { FindingGroup } from '../../model/upkeep/finding-groups.js'
import { Button } from '../../parts/basic/button.js'
import type { Action } from '../../plan/action.js'
import { openPlan } from '../../plan/open-plan.js'
import { runAction } from '../../plan/send.js'
import { may, me } from '../../store/me.js'
import { noteChange } from '../../store/reading.js'
import { acknowledge, silence } from '../alerts/alert-actions.js'

export type Response = 'acknowledge' | 'silence'

interface Refused {
  readonly cluster: string
  readonly failure: Failure
}

interface Done {
  readonly count: number
  readonly refused: readonly Refused[]
}

/** So many clusters are asked at once. */
const AT_ONCE = 6
const lengths = ['1h', '4h', '12h', '1d', '7d'] as const

export function RespondForm({ group }: { readonly group: FindingGroup }) {
  const reason = useSignal('')
  const length = useSignal<string>('4h')
  const isBusy = useSignal(false)
  const done = useSignal<(Done & { readonly what: Response }) | undefined>(undefined)
  if (me.value?.readOnly !== false || group.clusters.length === 0) return null
  const allowed = group.clusters.filter((cluster) => may('cluster-alert', cluster).allowed)
  const permission =
    reason.value.trim() === '' && allowed.length > 0
      ? { allowed: false, reason: 'Write a reason: others read it.' }
      : allowed.length > 0
        ? { allowed: true }
        : may('cluster-alert', group.clusters[0])
  const actionOn = (what: Response, cluster: string): Action => {
    const given = { reason: reason.value.trim() }
    return what === 'acknowledge'
      ? acknowledge(cluster, { ...given, code: group.code })
      : silence(cluster, { ...given, for: length.value, codes: group.code })
  }
  const onAll = async (what: Response) => {
    isBusy.value = true
    const result = await forEachCluster(allowed, (cluster) => runAction(actionOn(what, cluster)))
    isBusy.value = false
    done.value = { ...result, what }
    noteChange()
  }
  /** A hundred plans that say what the form says would be confirmed unread. */
  const respond = (what: Response) => {
    const [first, ...others] = allowed
    if (first !== undefined && others.length === 0) openPlan(actionOn(what, first))
    else void onAll(what)
  }
  const on = allowed.length === 1 ? allowed[0] : `${allowed.length} clusters`
  return (
    <div class="respond">
      <label>
        Reason
        <input
          value={reason.value}
          maxLength={500}
          placeholder="disk is being replaced"
          onInput={(event) => {
            reason.value = event.currentTarget.value
          }}
        />
      </label>
      <Button permission={permission} busy={isBusy.value} onClick={() => respond('acknowledge')}>
        Acknowledge on {on}
      </Button>
      <label>
        For
        <select
          value={length.value}
          onChange={(event) => {
            length.value = event.currentTarget.value
          }}
        >
          {lengths.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <Button permission={permission} busy={isBusy.value} onClick={() => respond('silence')}>
        Silence on {on}
      </Button>
      {allowed.length < group.clusters.length && allowed.length > 0 && (
        <p class="muted">On {group.clusters.length - allowed.length} more you do not have the grant cluster-alert.</p>
      )}
      <div role="status" class="respond-outcome">
        {done.value && <Outcome {...done.value} />}
      </div>
    </div>
  )
}

function Outcome({ what, count, refused }: Done & { readonly what: Response }) {
  return (
    <>
      {count > 0 && (
        <p>
          {what === 'acknowledge' ? 'Acknowledged' : 'Silenced'} on {count} {count === 1 ? 'cluster' : 'clusters'}.
        </p>
      )}
      {refused.map(({ cluster, failure }) => (
        <p key={cluster} class="respond-refused">
          {cluster}: {failure.text}
        </p>
      ))}
    </>
  )
}

async function forEachCluster(
  clusters: readonly string[],
  ask: (cluster: string) => ReturnType<typeof runAction>,
): Promise<Done> {
  const left = [...clusters]
  const refused: Refused[] = []
  let count = 0
  const work = async () => {
    for (let cluster = left.shift(); cluster !== undefined; cluster = left.shift()) {
      const reply = await ask(cluster)
      if (reply.ok) count++
      else refused.push({ cluster, failure: reply.failure })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { count, refused }
}
