// Forwards alerts to the hosted service, by an incoming webhook as of Slack; each message names the manager it comes from.
import { reveal } from '../../base/secret.js'
import type { Settings } from '../../settings/index.js'
import { type Channel, hostOf } from './channel.js'
import { renderChat } from './chat.js'
import { postMessage } from './post.js'

/** A manager whose plan forwards nothing gets its settings with `hosted-alert` off. */
export const hosted: Channel = {
  name: 'hosted',
  finding: 'WARN0370',
  receiver: (settings) => {
    const url = reveal(settings['hosted-alert-slack-url'])
    const isOn = settings.hosted && settings['hosted-alert'] && url !== ''
    return isOn ? `${url} ${settings['hosted-alert-slack-channel']}` : undefined
  },
  shown: (settings) =>
    `${hostOf(reveal(settings['hosted-alert-slack-url']))} ${settings['hosted-alert-slack-channel']}`.trim(),
  send: (settings, message) =>
    postMessage({
      url: reveal(settings['hosted-alert-slack-url']),
      body: renderChat(
        { ...message, title: `${message.title}${senderOf(settings)}` },
        { channel: settings['hosted-alert-slack-channel'], user: settings['hosted-alert-slack-user'] },
      ),
    }),
}

function senderOf(settings: Settings): string {
  const parts = [settings['hosted-domain'], settings['hosted-sub-domain'], settings['hosted-sub-domain-zone']]
  return parts.includes('') ? '' : ` (${parts.join('.')})`
}
