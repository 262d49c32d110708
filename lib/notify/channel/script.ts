// `alert-script`: called with the address, the old and the new state of a server at each change.
import { done, fail } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { runProgram } from '../../connect/shell/program.js'
import type { StateChange } from '../../model/alert.js'
import { stateTexts } from '../../model/wire.js'
import type { Channel } from './channel.js'

const TIMEOUT_MS = 30 * SECOND

/** What a test calls it with. */
const testState: StateChange = { server: 'test', url: 'test:0', from: stateTexts.primary, to: stateTexts.failed }

export const script: Channel = {
  name: 'script',
  finding: 'WARN0370',
  receiver: (settings) => settings['alert-script'] || undefined,
  shown: (settings) => settings['alert-script'],
  send: async (settings, { state = testState }) => {
    const file = settings['alert-script']
    const ended = await runProgram({ file, args: [state.url, state.from, state.to], timeoutMs: TIMEOUT_MS })
    return ended.ok ? done : fail('alert-failed', ended.failure.message)
  },
}
