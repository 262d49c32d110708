// The bar above every page: how the fleet is, a search, where one can go, who is logged in.
import { useLocation } from 'preact-iso/router'
import { fleetStates } from '../../../../lib/model/fleet/row.js'
import { logOut, sessionUser } from '../client/session.js'
import { stateMeaning } from '../model/state.js'
import { type Page, pages } from '../pages/pages.js'
import { addressWith } from '../parts/address.js'
import { Menu, type MenuItem } from '../parts/overlay/menu.js'
import { hasTerm, turnTerm } from '../store/fleet/arrange.js'
import { fleet } from '../store/fleet/fleet.js'
import { maySee, me } from '../store/me.js'
import { type Theme, theme } from '../store/theme.js'
import { renderCount } from '../text/numbers.js'

export function Bar({ onHelp, onSwitch }: { readonly onHelp: () => void; readonly onSwitch: () => void }) {
  return (
    <header class="bar">
      <a class="bar-home" href="/" aria-keyshortcuts="g f">
        <i class="bar-sign" aria-hidden="true" />
        <span class="hidden">Manager: the fleet</span>
      </a>
      <Counters />
      <Search />
      <div class="bar-end">
        <button type="button" class="button" title="Go to a cluster (g c)" onClick={onSwitch}>
          Go to…
        </button>
        <Places />
        <Menu label={`User ${sessionUser.value ?? ''}`} items={userItems}>
          <span class="bar-user">{sessionUser}</span>
          {me.value?.readOnly && <span class="tag">read-only</span>}▾
        </Menu>
        <button type="button" class="button" aria-label="Help (?)" title="Help (?)" onClick={onHelp}>
          ?
        </button>
      </div>
    </header>
  )
}

/** How many clusters are in each state; each is a filter. */
function Counters() {
  const { path, query } = useLocation()
  const counts = fleet.counts.value
  if (!fleet.known.value) return <nav class="counters" aria-label="States of the fleet" />
  const filter = path === '/' ? (query.q ?? '') : ''
  return (
    <nav class="counters" aria-label="States of the fleet">
      {fleetStates.map((state) => {
        const term = `state:${state}`
        return (
          <a
            key={state}
            class={`counter state-${state} ${counts[state] === 0 ? 'counter-none' : ''}`}
            href={addressWith('/', path === '/' ? query : {}, { q: turnTerm(filter, term) })}
            aria-current={hasTerm(filter, term) ? 'true' : undefined}
            title={stateMeaning[state]}
          >
            <i class="mark" aria-hidden="true" />
            <b>{renderCount(counts[state])}</b> <span>{state}</span>
          </a>
        )
      })}
    </nav>
  )
}

/** On the fleet it filters as one types; elsewhere Enter goes there. */
function Search() {
  const { path, query, route } = useLocation()
  const isFleet = path === '/'
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        const text = String(new FormData(event.currentTarget).get('q') ?? '')
        if (!isFleet) route(addressWith('/', {}, { q: text }))
      }}
    >
      <input
        type="search"
        name="q"
        aria-label="Search clusters"
        aria-keyshortcuts="/"
        data-search
        placeholder="Search: orders, state:down, lag>5, tag:prod"
        autocomplete="off"
        spellcheck={false}
        value={isFleet ? (query.q ?? '') : ''}
        onInput={(event) => {
          if (isFleet) route(addressWith('/', query, { q: event.currentTarget.value }), true)
        }}
      />
    </form>
  )
}

/** The pages of the whole service. */
function Places() {
  const { route } = useLocation()
  const offered = pages.flatMap((page) => (page.offered?.in === 'service' ? [page] : []))
  const items = () =>
    offered.map((page): MenuItem => {
      const permission = page.grant === undefined ? undefined : maySee(page.grant)
      return {
        text: page.offered?.as ?? page.title,
        onChoose: () => route(page.path),
        ...(permission === undefined ? {} : { permission }),
      }
    })
  return (
    <Menu label="Pages" items={items}>
      Pages ▾
    </Menu>
  )
}

const themeWords: Readonly<Record<Theme, string>> = { auto: 'As the system', light: 'Light', dark: 'Dark' }

function userItems(): readonly MenuItem[] {
  const themes = (Object.keys(themeWords) as Theme[]).map(
    (each, index): MenuItem => ({
      text: themeWords[each],
      checked: theme.value === each,
      onChoose: () => {
        theme.value = each
      },
      ...(index === 0 ? { group: 'Colours' } : {}),
    }),
  )
  return [...themes, { text: 'Log out', group: 'Session', onChoose: () => void logOut() }]
}

/** Pages that a key after `g` opens. */
export const keyedPages = (all: readonly Page[]): readonly Page[] => all.filter(({ key }) => key !== undefined)
