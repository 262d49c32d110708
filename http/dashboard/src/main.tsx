// Starts the dashboard in the browser.
import { render } from 'preact'
import { startSession } from './client/session.js'
import { App } from './shell/app.js'
import { startClock } from './store/clock.js'
import { startTheme } from './store/theme.js'
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'
import './styles/shell.css'
import './styles/fleet.css'

startTheme()
startClock()
// Before the pages read the address: a code in it is taken away.
void startSession()
const root = document.getElementById('app')
if (root) render(<App />, root)
