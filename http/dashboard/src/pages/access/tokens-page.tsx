// The user's own access: what it may do, cluster by cluster, and its API tokens.
import { useSignal } from '@preact/signals'
import { groupClusters } from '../../model/access/grants.js'
import { readTokens } from '../../model/access/users.js'
import { Button } from '../../parts/basic/button.js'
import { Loading } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { Facts } from '../../parts/list/facts.js'
import { Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { type Me, me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { GrantNames } from './grant-choice.js'
import { TokenDialog } from './token-dialog.js'
import { TokensTable } from './tokens-table.js'
import './access.css'

const kinds: Readonly<Record<Me['kind'], string>> = {
  session: 'this browser’s session',
  login: 'a login',
  'api-token': 'an API token',
  visitor: 'the read-only user of this service',
}

export function page() {
  const who = me.value
  const tokens = useReading('GET /api/tokens')
  const isCreating = useSignal(false)
  if (!who) return <Loading />
  return (
    <div class="page access">
      <Panel title="You">
        <Facts
          facts={[
            ['User', who.user],
            ['By', kinds[who.kind]],
            ['Until', who.expiresAt !== null && <Moment at={who.expiresAt} as="time" />],
            ['May', who.readOnly ? 'read, and change nothing' : undefined],
          ]}
        />
      </Panel>
      <Panel
        title="Your API tokens"
        stale={tokens.isStale}
        aside={
          <>
            <AsOf reading={tokens} />
            {!who.readOnly && (
              <Button
                permission={
                  who.kind === 'api-token'
                    ? { allowed: false, reason: 'An API token cannot create tokens: log in.' }
                    : { allowed: true }
                }
                onClick={() => {
                  isCreating.value = true
                }}
              >
                Create a token…
              </Button>
            )}
          </>
        }
      >
        {tokens.value === undefined && <NotRead reading={tokens} />}
        {tokens.value !== undefined && (
          <TokensTable
            caption="Your API tokens"
            tokens={readTokens(tokens.value)}
            empty="You have no API token. One lets a script act with some of your grants."
          />
        )}
      </Panel>
      <Effective who={who} />
      {isCreating.value && (
        <TokenDialog
          who={who}
          onClose={() => {
            isCreating.value = false
          }}
        />
      )}
    </div>
  )
}

const SHOWN = 12

/** Clusters with equal grants stand together: a fleet has few sets. */
const Effective = ({ who }: { readonly who: Me }) => (
  <Panel title="What you may do">
    {who.grants.server.length > 0 && (
      <details class="access-server">
        <summary>On the service itself: {who.grants.server.length} grants</summary>
        <GrantNames grants={who.grants.server} />
      </details>
    )}
    <Table
      caption="Your grants by cluster"
      rows={groupClusters(who.grants)}
      keyOf={({ clusters }) => clusters[0] ?? ''}
      empty="You see no cluster."
      columns={[
        {
          key: 'clusters',
          head: 'On',
          cell: ({ clusters }) => (
            <>
              {clusters.slice(0, SHOWN).map((name) => (
                <div key={name}>
                  <a href={`/c/${encodeURIComponent(name)}/users`}>{name}</a>
                </div>
              ))}
              {clusters.length > SHOWN && <span class="muted">and {clusters.length - SHOWN} more</span>}
            </>
          ),
        },
        { key: 'count', head: 'Grants', align: 'end', cell: ({ grants }) => grants.length },
        { key: 'grants', head: 'May', wide: true, cell: ({ grants }) => <GrantNames grants={grants} /> },
      ]}
    />
  </Panel>
)
