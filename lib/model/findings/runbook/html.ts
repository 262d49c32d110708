// Runbook pages for a browser: no script, no foreign resource, readable on a telephone.
import { escapeHtml } from '../../../base/html.js'
import type { Names } from './fill.js'
import { findRunbook, type Runbook, runbooks } from './runbooks.js'
import { type Block, type Item, type Section, sectionsOf } from './sections.js'

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:1rem auto;padding:0 1rem;color:#111;background:#fff}
h1{margin-bottom:0}h2{border-bottom:1px solid #bbb}pre{background:#f2f2f2;padding:.6rem;white-space:pre-wrap;overflow-wrap:anywhere}
.error{color:#a00}.warning{color:#850}figcaption{font-size:.8rem;color:#555}figure{margin:.4rem 0}td{padding:.15rem .8rem .15rem 0;vertical-align:top}
@media(prefers-color-scheme:dark){body{color:#eee;background:#151515}pre{background:#242424}a{color:#8bf}.error{color:#f88}.warning{color:#fc6}figcaption{color:#aaa}}`

/** One page; codes in its sentences are links. */
export function renderHtml(runbook: Runbook, names: Names): string {
  const { name, sentence, severity = 'alert' } = runbook
  const linked: Linked = (text) => linkCodes(text, { own: name, names })
  return page(
    `${name}: ${sentence}`,
    `<h1 class="${severity}">${name}</h1><p><strong>${escapeHtml(sentence)}</strong> (${severity})</p>
${sectionsOf(runbook, names)
  .map((section) => renderSection(section, linked))
  .join('\n')}
<p><a href="../runbooks">All runbooks</a></p>`,
  )
}

/** The list of all pages. */
export const renderIndex = (): string =>
  page(
    'Runbooks',
    `<h1>Runbooks</h1><p>What each finding and alert means, its usual causes, how to check it, what to do, and what not to do.</p>
<table>${runbooks
      .map(
        ({ name, sentence, severity = 'alert' }) =>
          `<tr><td><a class="${severity}" href="runbooks/${name}">${name}</a></td><td>${escapeHtml(sentence)}</td></tr>`,
      )
      .join('\n')}</table>`,
  )

type Linked = (text: string) => string

function renderSection({ title, form, items }: Section, linked: Linked): string {
  const bodies = items.map((item) => renderItem(item, linked))
  const tag = form === 'steps' ? 'ol' : 'ul'
  const body =
    form === 'paragraph'
      ? `<p>${bodies.join(' ')}</p>`
      : `<${tag}>${bodies.map((one) => `<li>${one}</li>`).join('\n')}</${tag}>`
  return `<h2>${title}</h2>\n${body}`
}

const renderItem = ({ text, blocks }: Item, linked: Linked): string => linked(text) + blocks.map(renderBlock).join('')

const renderBlock = ({ where, lines }: Block): string =>
  `<figure><figcaption>${where}</figcaption><pre>${lines.map(escapeHtml).join('\n')}</pre></figure>`

interface LinkScope {
  readonly own: string
  readonly names: Names
}

/** Codes that have a page of their own lead there, for the same cluster. */
const linkCodes = (text: string, { own, names: { cluster } }: LinkScope): string =>
  escapeHtml(text).replaceAll(/\b(?:ERR\d{5}|WARN\d{4})\b/g, (code) =>
    code === own || !findRunbook(code)
      ? code
      : `<a href="${code}${cluster === undefined ? '' : `?cluster=${encodeURIComponent(cluster)}`}">${code}</a>`,
  )

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}</body></html>\n`
