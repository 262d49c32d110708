// Who may do what on a cluster: its users with what their words and roles come to, and the API tokens that reach it.
import { useSignal } from '@preact/signals'
import { readTokens, readUsers, type User } from '../../model/access/users.js'
import { Button } from '../../parts/basic/button.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { may, maySee, me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { dropUser } from './access-actions.js'
import { GrantNames } from './grant-choice.js'
import { TokensTable } from './tokens-table.js'
import { UserDialog } from './user-dialog.js'
import './access.css'

/** The form that is open: of a new user, or of this one. */
type Open = 'add' | User

export function page({ params: { cluster = '' } }: PageProps) {
  const users = useReading('GET /api/clusters/:cluster/users', { params: { cluster } })
  const seesTokens = maySee(['token-manage', 'grant-show'], cluster).allowed
  const tokens = useReading('GET /api/clusters/:cluster/tokens', { params: { cluster }, when: seesTokens })
  const open = useSignal<Open | undefined>(undefined)
  const close = () => {
    open.value = undefined
  }
  const canAct = me.value?.readOnly === false
  return (
    <div class="page access">
      <Panel
        title={`Users of ${cluster}`}
        stale={users.isStale}
        aside={
          <>
            <AsOf reading={users} />
            {canAct && (
              <Button
                permission={may(['grant-add', 'cluster-grant'], cluster)}
                onClick={() => {
                  open.value = 'add'
                }}
              >
                Add a user…
              </Button>
            )}
          </>
        }
      >
        {users.value === undefined && <NotRead reading={users} />}
        {users.value !== undefined && (
          <Table
            caption={`Users of ${cluster}`}
            rows={readUsers(users.value)}
            keyOf={({ name }) => name}
            empty="No user has a grant on this cluster."
            sort={{ key: 'name', down: false }}
            columns={[...columns, ...(canAct ? [actionsOf(cluster, (user) => (open.value = user))] : [])]}
          />
        )}
      </Panel>
      {seesTokens && (
        <Panel title="API tokens that reach it" stale={tokens.isStale} aside={<AsOf reading={tokens} />}>
          {tokens.value === undefined && <NotRead reading={tokens} />}
          {tokens.value !== undefined && (
            <TokensTable
              caption={`API tokens that reach ${cluster}`}
              tokens={readTokens(tokens.value)}
              empty="No API token reaches this cluster."
              cluster={cluster}
            />
          )}
        </Panel>
      )}
      {open.value !== undefined && (
        <UserDialog cluster={cluster} onClose={close} {...(open.value === 'add' ? {} : { user: open.value })} />
      )}
    </div>
  )
}

const columns: readonly Column<User>[] = [
  { key: 'name', head: 'User', sort: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
  { key: 'roles', head: 'Roles', cell: ({ roles }) => roles.join(', ') },
  {
    key: 'grants',
    head: 'May',
    wide: true,
    sort: ({ grants }) => grants.length,
    cell: ({ grants }) => (
      <details>
        <summary>{grants.length === 1 ? '1 grant' : `${grants.length} grants`}</summary>
        <GrantNames grants={grants} />
      </details>
    ),
  },
  {
    key: 'login',
    head: 'Logs in',
    cell: ({ isSignOn }) => (isSignOn ? 'by single sign-on' : 'with a password'),
  },
  {
    key: 'from',
    head: 'From',
    cell: ({ isAdded }) =>
      isAdded ? 'added here' : <Tag title="Changed in the configuration file">configuration</Tag>,
  },
]

const actionsOf = (cluster: string, change: (user: User) => void): Column<User> => ({
  key: 'actions',
  head: 'Change',
  cell: (user) =>
    user.isAdded ? (
      <span class="access-acts">
        <Button
          label={`Change ${user.name}`}
          permission={may(['grant-modify', 'cluster-grant'], cluster)}
          onClick={() => change(user)}
        >
          Change…
        </Button>
        <ActionButton action={dropUser(cluster, user.name)}>Drop…</ActionButton>
      </span>
    ) : null,
})
