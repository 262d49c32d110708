// API tokens: whose, what they open, until when, who used them last. Their texts are nowhere.
import type { Token } from '../../model/access/users.js'
import { Moment } from '../../parts/basic/moment.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { renderFullMoment } from '../../text/moments.js'
import { revokeToken } from './access-actions.js'

export interface TokensTableProps {
  readonly caption: string
  readonly tokens: readonly Token[]
  readonly empty: string
  /** Whose tokens of all users they are; absent: one's own. */
  readonly cluster?: string
}

const stateTones = { live: 'good', expired: 'warning', revoked: 'plain' } as const

const columns: readonly Column<Token>[] = [
  { key: 'label', head: 'Token', sort: ({ label }) => label, cell: ({ label }) => <strong>{label}</strong> },
  { key: 'user', head: 'Of', sort: ({ user }) => user, cell: ({ user }) => user },
  {
    key: 'state',
    head: 'State',
    sort: ({ state }) => state,
    cell: ({ state, revokedBy }) => (
      <Tag tone={stateTones[state]}>{revokedBy === undefined ? state : `${state} by ${revokedBy}`}</Tag>
    ),
  },
  {
    key: 'may',
    head: 'May',
    wide: true,
    cell: ({ grants }) => (grants.length === 0 ? 'everything that its owner may' : grants.join(' ')),
  },
  {
    key: 'on',
    head: 'On',
    cell: ({ clusters }) => (clusters.length === 0 ? 'every cluster' : clusters.join(', ')),
  },
  {
    key: 'until',
    head: 'Until',
    sort: ({ expiresAt }) => expiresAt,
    cell: ({ expiresAt }) => (
      <span class="number">{expiresAt === undefined ? 'it is revoked' : renderFullMoment(expiresAt).slice(0, 16)}</span>
    ),
  },
  {
    key: 'used',
    head: 'Last used',
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt, lastUsedFrom }) =>
      lastUsedAt === undefined ? (
        <span class="muted">never</span>
      ) : (
        <>
          <Moment at={lastUsedAt} />
          {lastUsedFrom !== undefined && <span class="muted"> from {lastUsedFrom}</span>}
        </>
      ),
  },
]

export function TokensTable({ caption, tokens, empty, cluster }: TokensTableProps) {
  const revoke: Column<Token> = {
    key: 'revoke',
    head: 'Revoke',
    cell: (token) =>
      token.state !== 'revoked' && <ActionButton action={revokeToken(token, cluster)}>Revoke…</ActionButton>,
  }
  return (
    <Table
      caption={caption}
      rows={tokens}
      keyOf={({ id }) => id}
      empty={empty}
      columns={me.value?.readOnly === false ? [...columns, revoke] : columns}
    />
  )
}
