// Every channel of alerts, one row each.
import { type AlertChannel, alertChannels } from '../../model/alert.js'
import type { Settings } from '../../settings/index.js'
import type { Channel } from './channel.js'
import { slack, teams } from './chat.js'
import { hosted } from './hosted.js'
import { mail } from './mail.js'
import { pushover } from './push.js'
import { script } from './script.js'
import { syslog } from './syslog.js'
import { webhook } from './webhook.js'

export const channels: Readonly<Record<AlertChannel, Channel>> = {
  mail,
  slack,
  teams,
  pushover,
  webhook,
  syslog,
  hosted,
  script,
}

/** In the order in which they are shown. */
export const channelList: readonly Channel[] = alertChannels.map((name) => channels[name])

/** Whether alerts of a cluster reach anyone. */
export const hasReceiver = (settings: Settings): boolean =>
  channelList.some((channel) => isGathered(channel) && channel.receiver(settings, 'alert') !== undefined)

/** A script is called for each change, the other channels receive messages. */
export const isGathered = ({ name }: Channel): boolean => name !== 'script'
