// Chats with incoming webhooks: Slack and those that take its messages, and Microsoft Teams.
import { reveal } from '../../base/secret.js'
import type { AlertMessage } from '../../model/alert.js'
import { publicUrl } from '../../settings/configuration/public-url.js'
import { type Channel, hostOf } from './channel.js'
import { postMessage } from './post.js'

/** Characters of a message that chats accept. */
const LONGEST = 20_000

export const slack: Channel = {
  name: 'slack',
  finding: 'WARN0370',
  receiver: (settings) => {
    const url = reveal(settings['alert-slack-url'])
    return url === '' ? undefined : `${url} ${settings['alert-slack-channel']}`
  },
  shown: (settings) => `${hostOf(reveal(settings['alert-slack-url']))} ${settings['alert-slack-channel']}`.trim(),
  send: (settings, message) => {
    const body = renderChat(message, { channel: settings['alert-slack-channel'], user: settings['alert-slack-user'] })
    return postMessage({ url: reveal(settings['alert-slack-url']), body })
  },
}

/** The body that incoming webhooks take; an empty channel or user is that of the webhook. */
export const renderChat = (
  { title, text }: Pick<AlertMessage, 'title' | 'text'>,
  { channel, user }: { readonly channel: string; readonly user: string },
): string =>
  JSON.stringify({
    text: `*${escapeMarkup(title)}*\n\`\`\`\n${escapeMarkup(text).slice(0, LONGEST)}\n\`\`\``,
    ...(channel === '' ? {} : { channel }),
    ...(user === '' ? {} : { username: user }),
  })

/**
 * The three characters that Slack's text format reserves: api.slack.com/reference/surfaces/formatting. A backquote, which ends a
 * block and cannot be escaped, becomes an apostrophe.
 */
const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('`', "'")

export const teams: Channel = {
  name: 'teams',
  finding: 'WARN0370',
  receiver: (settings) => {
    const url = reveal(settings['alert-teams-url'])
    return url === '' ? undefined : `${url} ${settings['alert-teams-state']}`
  },
  shown: (settings) => hostOf(reveal(settings['alert-teams-url'])),
  accepts: (settings, { codes, kind }) => {
    const starts = settings['alert-teams-state'].split(/[\s,]+/).filter((start) => start !== '')
    return (
      kind === 'test' || starts.length === 0 || codes.some((code) => starts.some((start) => code.startsWith(start)))
    )
  },
  send: (settings, message) =>
    postMessage({
      url: reveal(settings['alert-teams-url']),
      proxy: reveal(settings['alert-teams-proxy-url']),
      body: JSON.stringify(cardOf(message, publicUrl(settings))),
    }),
}

/**
 * An adaptive card: workflows and the older connectors of Teams take it. Runs of text, since blocks of text read Markdown, and texts
 * of servers are in it: learn.microsoft.com/adaptive-cards/schema-explorer/text-run. The links are to the manager's own pages.
 */
const cardOf = ({ title, text, level }: AlertMessage, baseUrl: string) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        ...{ type: 'AdaptiveCard', version: '1.2', msteams: { width: 'Full' } },
        body: [
          {
            type: 'RichTextBlock',
            inlines: [
              {
                ...{ type: 'TextRun', weight: 'Bolder', text: title },
                color: level === 'ALERT' ? 'Attention' : 'Good',
              },
            ],
          },
          ...text
            .slice(0, LONGEST)
            .split('\n')
            .map((line) => ({ type: 'RichTextBlock', spacing: 'None', inlines: runsOf(line, baseUrl) })),
        ],
      },
    },
  ],
})

/** A line, its address of a page of the manager as a link. */
function runsOf(line: string, baseUrl: string) {
  const run = (text: string) => ({ type: 'TextRun', fontType: 'Monospace', text })
  const at = line.lastIndexOf(' ') + 1
  const url = line.slice(at)
  if (baseUrl === '' || !url.startsWith(`${baseUrl.replace(/\/+$/, '')}/`)) return [run(line === '' ? ' ' : line)]
  const link = { ...run(url), selectAction: { type: 'Action.OpenUrl', url } }
  return at === 0 ? [link] : [run(line.slice(0, at)), link]
}
