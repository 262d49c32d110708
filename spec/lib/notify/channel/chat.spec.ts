// Texts of servers in messages to chats: they format nothing and link nowhere.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import type { AlertMessage } from '../../../../lib/model/alert.js'
import { slack, teams } from '../../../../lib/notify/channel/chat.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'

const HOSTILE = 'error 1: [Log in](https://stranger.example) ``` *now* <https://stranger.example|here>'
const message: AlertMessage = {
  ...{ id: 'a1', at: 0, level: 'ALERT', kind: 'alert', clusters: ['shop'], codes: ['ERR00001'] },
  title: `[ALERT] shop: ${HOSTILE}`,
  text: `Open now\n  ${HOSTILE}\n\nWhat to do\n  https://manager.example/api/runbooks/ERR00001\n`,
}

describe('A chat', () => {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      bodies.push(body)
      response.end('ok')
    })
  })
  const url = () => secret(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)

  before((done) => void server.listen(0, '127.0.0.1', done))
  after(() => server.close())
  beforeEach(() => {
    bodies.length = 0
  })

  it('of Teams gets runs of text, which know no Markdown, and links to pages of the manager alone', async () => {
    const settings = defaultSettings({ 'alert-teams-url': url(), 'api-public-url': 'https://manager.example/' })
    unwrap(await teams.send(settings, message))
    type Run = { type: string; text: string; selectAction?: { url: string } }
    const { attachments } = JSON.parse(bodies[0] ?? '') as {
      attachments: { content: { body: { type: string; inlines: Run[] }[] } }[]
    }
    const blocks = attachments[0]?.content.body ?? []
    expect(new Set(blocks.map(({ type }) => type))).to.deep.equal(new Set(['RichTextBlock']))
    const runs = blocks.flatMap(({ inlines }) => inlines)
    expect(new Set(runs.map(({ type }) => type))).to.deep.equal(new Set(['TextRun']))
    expect(runs.map(({ text }) => text)).to.include(`  ${HOSTILE}`)
    expect(runs.flatMap(({ selectAction }) => selectAction?.url ?? [])).to.deep.equal([
      'https://manager.example/api/runbooks/ERR00001',
    ])
  })

  it('of Slack gets one block that texts do not end, without links', async () => {
    unwrap(await slack.send(defaultSettings({ 'alert-slack-url': url() }), message))
    const { text } = JSON.parse(bodies[0] ?? '') as { text: string }
    expect(text.split('```')).to.have.length(3)
    expect(text).not.to.match(/[<>]/)
  })
})
