// Push messages by Pushover: pushover.net/api.
import { reveal } from '../../base/secret.js'
import { type Channel, hostOf } from './channel.js'
import { postMessage } from './post.js'

/** Limits of the service, characters. */
const LONGEST_TITLE = 250
const LONGEST_TEXT = 1_024
/** Priorities of the service: 1 passes the quiet hours of the receiver. */
const HIGH = 1
const NORMAL = 0

export const pushover: Channel = {
  name: 'pushover',
  finding: 'WARN0370',
  receiver: (settings) => {
    const tokens = [settings['alert-pushover-app-token'], settings['alert-pushover-user-token']].map(reveal)
    return tokens.includes('') ? undefined : [settings['alert-pushover-url'], ...tokens].join(' ')
  },
  shown: (settings) => hostOf(settings['alert-pushover-url']),
  send: (settings, { level, kind, title, text }) =>
    postMessage({
      url: settings['alert-pushover-url'],
      body: JSON.stringify({
        token: reveal(settings['alert-pushover-app-token']),
        user: reveal(settings['alert-pushover-user-token']),
        title: title.slice(0, LONGEST_TITLE),
        message: text.slice(0, LONGEST_TEXT),
        priority: kind !== 'test' && level === 'ALERT' ? HIGH : NORMAL,
      }),
    }),
}
