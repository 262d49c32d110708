// What can be done with the cluster: harmless, interrupting, destroying. Absent for a user that may change nothing.
import { Panel } from '../../../parts/basic/panel.js'
import { ActionButton } from '../../../plan/action-button.js'
import { me } from '../../../store/me.js'
import { groupTitles, offersOfCluster, type Situation } from '../actions/cluster-actions.js'

export function ActionsPanel(situation: Situation) {
  if (me.value?.readOnly !== false) return null
  const offers = offersOfCluster(situation)
  return (
    <Panel title="Actions">
      <div class="action-groups">
        {(['harmless', 'interrupting', 'destroying'] as const).map((kind) => {
          const group = offers.filter(({ action }) => action.kind === kind)
          if (group.length === 0) return null
          return (
            <section key={kind} aria-label={groupTitles[kind]}>
              <h3>{groupTitles[kind]}</h3>
              <div class="row">
                {group.map(({ action, refused }) => (
                  <ActionButton key={action.row} action={action} refused={refused} />
                ))}
              </div>
            </section>
          )
        })}
      </div>
    </Panel>
  )
}
