// The frame of every page: what is shown before a login, and the bar and the page after it.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { LocationProvider, useLocation } from 'preact-iso/router'
import { sessionState, sessionUser } from '../client/session.js'
import { pages } from '../pages/pages.js'
import { PlanHost } from '../plan/plan-host.js'
import { startFleet, stopFleet } from '../store/fleet/fleet.js'
import { loadMe } from '../store/me.js'
import { Bar } from './bar.js'
import { CurrentPage } from './current-page.js'
import { findPage } from './find-page.js'
import { followKeys, pressControl } from './keys.js'
import { later } from './later.js'
import { StaleBanner } from './stale-banner.js'
import { Switcher } from './switcher.js'

const Help = later(() => import('./help.js').then((module) => module.Help))
const Login = later<object>(() => import('./login.js').then((module) => module.Login))

export const App = () => (
  <LocationProvider>
    <Entrance />
  </LocationProvider>
)

function Entrance() {
  const state = sessionState.value
  if (state === 'starting') return <p class="starting">Connecting to the manager…</p>
  return state === 'closed' ? <Login /> : <Inside />
}

function Inside() {
  const { path, route } = useLocation()
  const help = useSignal(false)
  const switcher = useSignal(false)
  const user = sessionUser.value ?? ''
  useEffect(() => {
    void loadMe()
    startFleet(user)
    return stopFleet
  }, [user])
  useEffect(() => {
    const over = new AbortController()
    followKeys((keys) => {
      if (keys === '?') help.value = true
      else if (keys === 'g c') switcher.value = true
      else if (keys === 'g f') route('/')
      else if (keys === '/') focusSearch()
      else {
        const page = pages.find(({ key }) => key !== undefined && keys === `g ${key}`)
        if (!page) return pressControl(keys)
        route(page.path)
      }
      return true
    }, over.signal)
    return () => over.abort()
  }, [route, help, switcher])
  const isBare = findPage(pages, path)?.page.bare === true
  return (
    <>
      {!isBare && (
        <div class="top">
          <a class="skip" href="#page">
            Skip to the page
          </a>
          <Bar
            onHelp={() => {
              help.value = true
            }}
            onSwitch={() => {
              switcher.value = true
            }}
          />
          <StaleBanner />
        </div>
      )}
      <main id="page" tabIndex={-1}>
        <CurrentPage />
      </main>
      <PlanHost />
      {help.value && (
        <Help
          open
          onClose={() => {
            help.value = false
          }}
        />
      )}
      <Switcher
        open={switcher.value}
        onClose={() => {
          switcher.value = false
        }}
      />
    </>
  )
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.focus()
  field?.select()
}
